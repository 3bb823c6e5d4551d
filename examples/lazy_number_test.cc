// A unit test with GoogleTest: each check runs its function under many schedules.
#include <gtest/gtest.h>
#include <ricercar/ricercar.h>

#include <atomic>
#include <memory>
#include <thread>

// Makes a value when it is asked for the first time.
class LazyNumber {
 public:
  int get() {
    int* number = number_.load();
    if (number == nullptr) {
      auto made = std::make_unique<int>(42);
      // Another thread may have been faster. Then its number is the one.
      if (number_.compare_exchange_strong(number, made.get())) number = made.release();
    }
    return *number;
  }
  ~LazyNumber() { delete number_.load(); }

 private:
  std::atomic<int*> number_ = nullptr;
};

TEST(LazyNumber, IsTheSameForEverybody) {
  const auto result = ricercar::check({.strategy = "dfs"}, [] {
    LazyNumber number;
    std::thread other([&] { ricercar::require(number.get() == 42, "another number"); });
    ricercar::require(number.get() == 42, "another number");
    other.join();
  });
  EXPECT_TRUE(result) << result;
  EXPECT_TRUE(result.complete);  // every schedule was tried
}
