// Choice points at shared memory only (--points shared), or at memory on which there are races only
// (--points racy): which that is gets learned on the way, and nothing is lost against points at
// every access.
#include <gtest/gtest.h>
#include <ricercar/ricercar.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace ricercar::test {
namespace {

Options at_points(const std::string& points, const std::string& strategy) {
  Options options;
  options.points = points;
  options.strategy = strategy;
  options.executions = 0;
  options.races = false;
  return options;
}

// "every Mazurkiewicz trace: 6" says 6.
std::string traces(const std::string& points, const std::function<void()>& body) {
  const Result result = check(at_points(points, "dpor"), body);
  EXPECT_TRUE(result) << result;
  EXPECT_TRUE(result.complete) << result;
  return result.coverage;
}

void run_threads(int threads, const std::function<void(int)>& body) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(body, i);
  for (std::thread& thread : running) thread.join();
}

void lost_updates() {
  int x = 0;
  int own[32] = {};
  run_threads(3, [&](int i) {
    for (int k = 0; k < 3; ++k) own[8 * i] += k;
    const int seen = x;
    x = seen + 1;
  });
}

void locked_counters() {
  std::mutex mutex;
  int counters[2] = {};
  run_threads(3, [&](int i) {
    const std::lock_guard<std::mutex> guard(mutex);
    counters[i % 2] += i;
  });
}

void published_object() {
  std::unique_ptr<int> object;
  int seen = 0;
  run_threads(2, [&](int i) {
    if (i == 0) {
      object = std::make_unique<int>(42);
    } else if (object) {
      seen = *object;
    }
  });
}

void waiting() {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  run_threads(2, [&](int i) {
    std::unique_lock<std::mutex> lock(mutex);
    if (i == 0) {
      ready = true;
      changed.notify_one();
    } else {
      changed.wait(lock, [&] { return ready; });
    }
  });
}

// Which memory is shared depends on the order: found in a later execution only.
void sharing_that_shows_late() {
  int first = 0;
  int second = 0;
  run_threads(2, [&](int i) {
    if (i == 0) {
      first = 1;
      second = 7;
    } else if (first == 0) {
      second = 8;
    }
  });
}

TEST(SharedPoints, HaveTheTracesOfAllAccesses) {
  for (void (*body)() :
       {lost_updates, locked_counters, published_object, waiting, sharing_that_shows_late}) {
    EXPECT_EQ(traces("shared", body), traces("memory", body));
  }
}

TEST(SharedPoints, AreFewerThanAllAccesses) {
  const Result shared = check(at_points("shared", "dpor"), [] { lost_updates(); });
  const Result memory = check(at_points("memory", "dpor"), [] { lost_updates(); });
  EXPECT_LT(shared.steps * 2, memory.steps);
}

// The other thread may have ended when main looks at what it has written. As long as it was not
// joined main could have looked earlier, so that its accesses are steps, although nobody else is
// left to run.
TEST(SharedPoints, AreThoseOfTheLastThreadTooUntilTheOthersAreJoined) {
  for (const std::string strategy : {"dfs", "dpor", "bpor", "bestfirst", "hapset"}) {
    for (const std::string points : {"shared", "memory"}) {
      const Result result = check(at_points(points, strategy), [] {
        std::atomic<bool> ready = false;
        int value = 0;
        std::thread other([&] {
          ready = true;
          value = 1;
        });
        if (ready) require(value == 1, "it is not written yet");
        other.join();
      });
      EXPECT_EQ(result.bugs.size(), 1U) << strategy << ' ' << points << '\n' << result;
    }
  }
}

TEST(SharedPoints, FindABugInPlainMemoryWithEveryStrategy) {
  for (const std::string strategy : {"dfs", "dpor", "pb", "random", "pct", "mixed", "hapset",
                                     "hapset:base=pb", "hapset:prune=no", "hapset:learn=5"}) {
    Options options = at_points("shared", strategy);
    options.executions = 1000;
    const Result result = check(options, [] {
      int x = 0;
      run_threads(2, [&](int) {
        const int seen = x;
        x = seen + 1;
      });
      require(x == 2, "an update was lost");
    });
    ASSERT_EQ(result.bugs.size(), 1U) << strategy << '\n' << result;
    EXPECT_NE(result.bugs[0].report.find("an update was lost"), std::string::npos) << result;
  }
}

// --- Points where races are ---

// Threads that read and write two plain variables and an atomic one, in part under a lock.
struct DrawnStep {
  enum Kind { read, write, atomic_read, atomic_write, lock, unlock } kind;
  int variable;
  int value;
};
using DrawnProgram = std::vector<std::vector<DrawnStep>>;

DrawnProgram draw(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  DrawnProgram program(2 + random() % 2);
  int value = 0;
  for (std::vector<DrawnStep>& thread : program) {
    const bool locks = random() % 2 == 0;
    if (locks) thread.push_back({DrawnStep::lock, 0, 0});
    for (std::uint64_t i = 0; i < 4 - program.size() + random() % 2; ++i) {
      const auto kind = static_cast<DrawnStep::Kind>(random() % 4);
      thread.push_back({kind, static_cast<int>(random() % 2), ++value});
    }
    const std::uint64_t place = 1 + random() % thread.size();
    if (locks) thread.insert(thread.begin() + static_cast<long>(place), {DrawnStep::unlock, 0, 0});
  }
  return program;
}

using Final = std::vector<int>;  // the variables, and what the threads have read

Final run(const DrawnProgram& program) {
  int plain[2][8] = {};  // apart from each other: what is learned are words
  std::atomic<int> atomic = 0;
  std::mutex mutex;
  std::vector<Final> reads(program.size());
  for (Final& each : reads) each.reserve(8);
  run_threads(static_cast<int>(program.size()), [&](int i) {
    for (const DrawnStep& step : program[static_cast<std::size_t>(i)]) {
      Final& own = reads[static_cast<std::size_t>(i)];
      if (step.kind == DrawnStep::read) own.push_back(plain[step.variable][0]);
      if (step.kind == DrawnStep::write) plain[step.variable][0] = step.value;
      if (step.kind == DrawnStep::atomic_read) own.push_back(atomic);
      if (step.kind == DrawnStep::atomic_write) atomic = step.value;
      if (step.kind == DrawnStep::lock) mutex.lock();
      if (step.kind == DrawnStep::unlock) mutex.unlock();
    }
  });
  Final final = {plain[0][0], plain[1][0], atomic};
  for (const Final& each : reads) final.insert(final.end(), each.begin(), each.end());
  return final;
}

struct Found {
  std::set<Final> finals;
  std::uint64_t steps = 0;
  bool is_complete = false;
  bool has_race = false;
};

// Results are kept outside of the executions, in memory that is there before they begin.
Found search(const DrawnProgram& program, const Options& options) {
  std::vector<Final> all;
  all.reserve(20000);
  const Result result = check(options, [&] {
    const Final final = run(program);
    if (all.size() < all.capacity()) all.push_back(final);
  });
  EXPECT_TRUE(result.error.empty()) << result;
  EXPECT_LT(all.size(), all.capacity());
  return {{all.begin(), all.end()}, result.steps, result.complete, !result.bugs.empty()};
}

TEST(RacyPoints, HaveTheFinalStatesOfAllAccesses) {
  int racy = 0, apart = 0;
  constexpr int programs = 60;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const DrawnProgram program = draw(seed);
    const Found all = search(program, at_points("memory", "dpor"));
    ASSERT_TRUE(all.is_complete);
    for (const std::string strategy : {"dfs", "dpor", "bpor", "pb:bound=1000"}) {
      const Found found = search(program, at_points("racy", strategy));
      EXPECT_EQ(found.finals, all.finals) << seed << ' ' << strategy;
      EXPECT_TRUE(found.is_complete) << seed << ' ' << strategy;
    }
    Options with_races = at_points("racy", "dpor");
    with_races.races = with_races.keep_going = true;
    with_races.out = "/proc/version/nowhere";
    const Found passed = search(program, with_races);
    EXPECT_EQ(passed.finals, all.finals) << seed;
    Options at_atomics = with_races;
    at_atomics.points = "atomic";
    const Found without = search(program, at_atomics);
    EXPECT_EQ(without.has_race, passed.has_race) << seed;
    EXPECT_NE(without.is_complete, without.has_race) << seed;
    if (!without.has_race) {
      EXPECT_EQ(without.finals, all.finals) << seed;
    }
    racy += passed.has_race ? 1 : 0;
    apart += without.finals != all.finals ? 1 : 0;
  }
  EXPECT_GT(racy, programs / 4);
  EXPECT_LT(racy, programs);
  EXPECT_GT(apart, programs / 10) << "points at atomics show less";
}

TEST(RacyPoints, AreFewerThanSharedOnes) {
  const auto body = [] {
    std::mutex mutex;
    int locked[8] = {};
    int raced[8] = {};
    run_threads(2, [&](int) {
      ++raced[0];
      const std::lock_guard<std::mutex> guard(mutex);
      for (int k = 0; k < 3; ++k) ++locked[0];
    });
  };
  const Result racy = check(at_points("racy", "dpor"), body);
  const Result shared = check(at_points("shared", "dpor"), body);
  EXPECT_EQ(racy.coverage, shared.coverage);
  EXPECT_LT(racy.steps, shared.steps);
}

}  // namespace
}  // namespace ricercar::test
