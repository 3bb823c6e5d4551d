// A unit test with Catch2.
#define CATCH_CONFIG_MAIN
#include <ricercar/ricercar.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

// Threads are served in the order in which they draw their tickets.
class TicketLock {
 public:
  void lock() {
    const unsigned ticket = next_.fetch_add(1);
    while (serving_.load() != ticket) std::this_thread::yield();
  }
  void unlock() { serving_.fetch_add(1); }

 private:
  std::atomic<unsigned> next_ = 0;
  std::atomic<unsigned> serving_ = 0;
};

TEST_CASE("a ticket lock lets one thread in at a time") {
  const auto result = ricercar::check({.strategy = "pb:bound=2"}, [] {
    TicketLock lock;
    int inside = 0;  // not atomic: two threads at a time would be a data race
    const auto enter = [&] {
      lock.lock();
      ++inside;
      ricercar::require(inside == 1, "two threads are inside");
      --inside;
      lock.unlock();
    };
    std::thread other(enter);
    enter();
    other.join();
  });
  INFO(result);
  CHECK(static_cast<bool>(result));
}
