// Delaying explorers on threads, in ricercar::check.
#include <gtest/gtest.h>
#include <ricercar/explorer.h>
#include <ricercar/ricercar.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

const std::vector<std::string> searches = {
    "ses",           "ses:explorer=rtc", "ses:explorer=prr",     "ses:step=2",
    "ses:exact=yes", "ses:check=yes",    "pb:cache=yes,bound=50"};

// Every end that a program can come to, as numbers that its body reports.
template <typename Body>
std::set<int> ends(const std::string& strategy, Body body, bool expects_all = true) {
  static std::set<int>* found;
  std::set<int> results;
  found = &results;
  const ricercar::Result result =
      ricercar::check({.strategy = strategy, .keep_going = true}, [&] { found->insert(body()); });
  EXPECT_EQ(result.error, "") << strategy;
  if (expects_all) {
    EXPECT_TRUE(result.complete) << strategy;
  }
  return results;
}

int lost_update() {
  std::atomic<int> total = 0;
  const auto add = [&] { total = total + 1; };
  std::thread first(add);
  std::thread second(add);
  std::thread third(add);
  first.join();
  second.join();
  third.join();
  return total;
}

int order_of_sections() {
  std::mutex mutex;
  int order = 0;
  const auto enter = [&](int number) {
    const std::lock_guard lock(mutex);
    order = order * 4 + number;
  };
  std::thread first(enter, 1);
  std::thread second(enter, 2);
  std::thread third(enter, 3);
  first.join();
  second.join();
  third.join();
  return order;
}

int chosen_values() {
  std::atomic<int> last = 0;
  std::thread first([&] { last = static_cast<int>(ricercar::choose(3)); });
  std::thread second([&] { last = 10 + static_cast<int>(ricercar::choose(2)); });
  first.join();
  second.join();
  return last;
}

int woken() {
  std::mutex mutex;
  std::condition_variable condition;
  int state = 0;
  int order = 0;
  const auto wait = [&](int number) {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return state > 0; });
    --state;
    order = order * 4 + number;
  };
  std::thread first(wait, 1);
  std::thread second(wait, 2);
  for (int i = 0; i < 2; ++i) {
    {
      const std::lock_guard lock(mutex);
      ++state;
    }
    condition.notify_one();
  }
  first.join();
  second.join();
  return order;
}

TEST(Delaying, ComesToTheSameEndsAsAllExecutionsTogether) {
  EXPECT_EQ(ends("dpor", lost_update), (std::set<int>{1, 2, 3}));
  for (const std::string& search : searches) {
    EXPECT_EQ(ends(search, lost_update), (std::set<int>{1, 2, 3})) << search;
    EXPECT_EQ(ends(search, order_of_sections), ends("dpor", order_of_sections)) << search;
    EXPECT_EQ(ends(search, chosen_values), ends("dpor", chosen_values)) << search;
    EXPECT_EQ(ends(search, woken), ends("dpor", woken)) << search;
  }
}

TEST(Delaying, NeedsFewerExecutionsThanAllOfThem) {
  const auto count = [](const std::string& strategy) {
    return ricercar::check({.strategy = strategy}, [] { lost_update(); }).executions;
  };
  EXPECT_LT(count("ses"), count("dfs"));
}

void deadlock() {
  std::mutex one;
  std::mutex two;
  std::thread first([&] {
    const std::lock_guard outer(one);
    const std::lock_guard inner(two);
  });
  std::thread second([&] {
    const std::lock_guard outer(two);
    const std::lock_guard inner(one);
  });
  first.join();
  second.join();
}

TEST(Delaying, FindsADeadlock) {
  for (const std::string& search : searches) {
    const ricercar::Result result =
        ricercar::check({.strategy = search, .keep_going = true}, [] { deadlock(); });
    // Once for each of the two who may come last.
    ASSERT_EQ(result.bugs.size(), 2U) << search << result;
    EXPECT_EQ(result.bugs[0].kind, "deadlock");
    EXPECT_EQ(result.bugs[1].kind, "deadlock");
    EXPECT_TRUE(result.complete);
  }
  for (const char* explorer : {"rr", "rtc", "prr"}) {
    const ricercar::Result result = ricercar::check(
        {.strategy = std::string("ss:bound=4,explorer=") + explorer}, [] { deadlock(); });
    ASSERT_EQ(result.bugs.size(), 1U) << explorer << result;
  }
}

TEST(Delaying, SaysWhatItCovered) {
  const ricercar::Result result =
      ricercar::check({.strategy = "ses:bound=1"}, [] { order_of_sections(); });
  EXPECT_EQ(result.coverage.substr(0, 41), "every state within 1 delay of explorer rr") << result;
}

// --- Explorers of one's own ---

// The newest task runs, and what it has seen is in a vector: memory that must not be the program's.
class NewestFirst : public ricercar::DelayingExplorer {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<NewestFirst>(*this);
  }
  unsigned next(const ricercar::EnabledTasks& enabled) const override {
    for (const unsigned task : order_) {
      if (enabled.contains(task)) return task;
    }
    return enabled.from(0);
  }
  void delay(const ricercar::EnabledTasks& enabled) override {
    const unsigned task = next(enabled);
    std::erase(order_, task);
    order_.push_back(task);
  }
  void started(unsigned task) override { order_.insert(order_.begin(), task); }
  void step(const ricercar::ExplorerStep& step) override {
    if (step.kind != ricercar::ExplorerStep::hint) return;
    // The phase is over: the oldest first from now on.
    std::reverse(order_.begin(), order_.end());
  }

 private:
  std::vector<unsigned> order_;
};
const ricercar::RegisterExplorer<NewestFirst> newest_first("newest-first");

class Throws : public NewestFirst {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<Throws>(*this);
  }
  unsigned next(const ricercar::EnabledTasks&) const override {
    throw std::runtime_error("no idea");
  }
};
const ricercar::RegisterExplorer<Throws> throws("throws");

TEST(OwnExplorer, CoversEverythingToo) {
  EXPECT_EQ(ends("ses:explorer=newest-first", lost_update), (std::set<int>{1, 2, 3}));
  EXPECT_EQ(ends("ses:explorer=newest-first", order_of_sections), ends("dpor", order_of_sections));
}

TEST(OwnExplorer, DecidesWhatComesFirst) {
  const auto first_end = [](const std::string& strategy, bool hints) {
    int end = 0;
    ricercar::check({.strategy = strategy, .executions = 1}, [&] {
      std::atomic<int> order = 0;
      const auto enter = [&](int number) { order = order * 4 + number; };
      std::thread first(enter, 1);
      std::thread second(enter, 2);
      if (hints) ricercar::explorer_hint(1);
      first.join();
      second.join();
      end = order;
    });
    return end;
  };
  EXPECT_EQ(first_end("ses:explorer=rr", false), 1 * 4 + 2);
  EXPECT_EQ(first_end("ses:explorer=newest-first", false), 2 * 4 + 1);
  EXPECT_EQ(first_end("ses:explorer=newest-first", true), 1 * 4 + 2);
}

class LastValue : public NewestFirst {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<LastValue>(*this);
  }
  unsigned value(unsigned, unsigned count) const override { return count - 1; }
};
const ricercar::RegisterExplorer<LastValue> last_value("last-value");

TEST(OwnExplorer, HasASayInValues) {
  const auto within = [](const std::string& strategy) {
    return ends(strategy, [] {
      const auto first = static_cast<int>(ricercar::choose(3));
      return 10 * first + static_cast<int>(ricercar::choose(3));
    });
  };
  EXPECT_EQ(within("ses:explorer=rr,bound=0"), (std::set<int>{0}));
  EXPECT_EQ(within("ses:explorer=rr,bound=1"), (std::set<int>{0, 1, 2, 10, 20}));
  EXPECT_EQ(within("ses:explorer=last-value,bound=0"), (std::set<int>{22}));
  EXPECT_EQ(within("ses:explorer=last-value,bound=1"), (std::set<int>{22, 20, 21, 2, 12}));
  EXPECT_EQ(within("ses:explorer=last-value"), (std::set<int>{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(OwnExplorer, MayThrow) {
  const ricercar::Result result =
      ricercar::check({.strategy = "ses:explorer=throws"}, [] { lost_update(); });
  EXPECT_EQ(result.error, "the program's own explorer 'throws' threw: no idea");
}

TEST(OwnExplorer, HasToBeThere) {
  const ricercar::Result result =
      ricercar::check({.strategy = "ses:explorer=newest-fist"}, [] { lost_update(); });
  EXPECT_EQ(result.error.substr(0, 75),
            "there is no explorer 'newest-fist'; did you mean 'newest-first'? (`ricercar");
}

}  // namespace
