// Choice points at shared memory only (--points shared): what threads share is learned on the way,
// and nothing is lost against points at every access.
#include <gtest/gtest.h>
#include <ricercar/ricercar.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
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

}  // namespace
}  // namespace ricercar::test
