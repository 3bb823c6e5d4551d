// Priority functions of one's own in ricercar::check.
#include <gtest/gtest.h>
#include <ricercar/priority.h>
#include <ricercar/ricercar.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

class BeforeStores : public ricercar::PriorityFunction {
 public:
  unsigned priority(const ricercar::Trace& trace, std::size_t step, unsigned task) override {
    return trace[step].task != task && trace[step].is("atomic_store") ? 0 : 100000;
  }
};
const ricercar::RegisterPriority<BeforeStores> before_stores("before-stores");

class Throws : public ricercar::PriorityFunction {
 public:
  unsigned priority(const ricercar::Trace&, std::size_t, unsigned) override {
    throw std::runtime_error("no idea");
  }
};
const ricercar::RegisterPriority<Throws> throws("throws");

ricercar::Result search(const std::string& priority) {
  return ricercar::check({.strategy = "bestfirst:space=all,priority=" + priority}, [] {
    std::atomic<int> visits = 0;
    std::atomic<int> total = 0;
    const auto visit = [&] {
      for (int i = 0; i < 20; ++i) ++visits;
      total = total + 1;
      for (int i = 0; i < 20; ++i) ++visits;
    };
    std::thread first(visit);
    std::thread second(visit);
    first.join();
    second.join();
    ricercar::require(total == 2, "a lost update");
  });
}

TEST(OwnPriority, DecidesWhatComesFirst) {
  const ricercar::Result result = search("before-stores+pb");
  ASSERT_EQ(result.bugs.size(), 1U) << result;
  EXPECT_EQ(result.executions, 2U);
  EXPECT_GT(search("pb").executions, 20U);
}

TEST(OwnPriority, MayThrow) {
  const ricercar::Result result = search("throws");
  EXPECT_EQ(result.error, "the program's own priority 'throws' threw: no idea");
  EXPECT_EQ(search("before-stores+pb").executions, 2U);
}

TEST(OwnPriority, HasToBeThere) {
  EXPECT_EQ(search("before-store").error,
            "there is no priority 'before-store'; did you mean 'before-stores'? (`ricercar "
            "strategies` lists them all)");
}

TEST(OwnPriority, KnowsTheKindsOfOperations) {
  const ricercar_step step{1, 2, 3, 4, 255, 0, 0, 0, 0};
  EXPECT_EQ(ricercar::Step{step}.name(), "");
  EXPECT_FALSE(ricercar::Step{step}.writes());
  EXPECT_EQ(ricercar::Trace(&step, 1).next(4, 0), 0U);
  EXPECT_EQ(ricercar::Trace(&step, 1).next(3, 0), 1U);
}

TEST(NamedPriority, NeedsTheTool) {
  EXPECT_NE(search("method=visit").error.find("`ricercar run`"), std::string::npos);
}

}  // namespace
