// libgtest-dev: a whole test program with the default main. Static objects of the library make
// thread keys before main and delete them at the end, in every execution.
// libraries: -lgtest -lgtest_main
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace {

TEST(Counter, IsExactUnderALock) {
  std::mutex mutex;
  int counter = 0;
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    ++counter;
  };
  std::thread one(count), two(count);
  one.join();
  two.join();
  EXPECT_EQ(counter, 2);
}

TEST(Counter, IsExactAsAnAtomic) {
  std::atomic<int> counter = 0;
  std::thread one([&] { ++counter; });
  ++counter;
  one.join();
  EXPECT_EQ(counter.load(), 2);
}

class Numbers : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { numbers_.push_back(GetParam()); }

  std::vector<int> numbers_;
};

TEST_P(Numbers, AreKept) {
  std::thread checker([this] { EXPECT_EQ(numbers_.size(), 1u); });
  checker.join();
  EXPECT_EQ(numbers_[0], GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, Numbers, testing::Values(3, 4));

TEST(Skipped, LeavesNothingBehind) { GTEST_SKIP() << "on purpose"; }

}  // namespace
