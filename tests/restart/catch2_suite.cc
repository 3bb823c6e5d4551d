// catch2: a whole test program with the library's own main, sections and a thread in each test.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>

TEST_CASE("a counter under a lock is exact") {
  std::mutex mutex;
  int counter = 0;
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    ++counter;
  };
  std::thread one(count), two(count);
  one.join();
  two.join();
  REQUIRE(counter == 2);
}

TEST_CASE("a thread is joined in every section") {
  int value = 0;
  std::thread writer([&] { value = 1; });
  writer.join();
  SECTION("one") { CHECK(value == 1); }
  SECTION("two") { CHECK(value + 1 == 2); }
}
