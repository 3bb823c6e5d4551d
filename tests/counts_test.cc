// Exact numbers of executions, where they can be computed on paper or by an independent count: each
// schedule once, none missing.
#include <gtest/gtest.h>
#include <pthread.h>
#include <ricercar/ricercar.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/combinatorics.h"

namespace {

using std::chrono::seconds;

using ricercar::test::factorial;
using ricercar::test::multinomial;

ricercar::Options everything(const std::string& strategy = "dfs") {
  ricercar::Options options;
  options.strategy = strategy;
  options.executions = 0;
  return options;
}

template <typename Body>
std::uint64_t count(const ricercar::Options& options, Body body) {
  const ricercar::Result result = ricercar::check(options, body);
  EXPECT_TRUE(result) << result;
  EXPECT_TRUE(result.complete) << result;
  return result.executions;
}

void run_threads(int threads, const std::function<void()>& body) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(body);
  for (std::thread& thread : running) thread.join();
}

// Threads that share one counter.
auto steppers(int threads, int steps) {
  return [threads, steps] {
    std::atomic<int> counter = 0;
    run_threads(threads, [&counter, steps] {
      for (int i = 0; i < steps; ++i) counter.fetch_add(1);
    });
    ricercar::require(counter == threads * steps);
  };
}

auto lockers(int threads, int sections) {
  return [threads, sections] {
    std::mutex mutex;
    int counter = 0;
    run_threads(threads, [&mutex, &counter, sections] {
      for (int i = 0; i < sections; ++i) {
        std::lock_guard guard(mutex);
        ++counter;
      }
    });
    ricercar::require(counter == threads * sections);
  };
}

// --- Interleavings ---

TEST(Dfs, RunsEveryInterleavingOfTwoThreadsOnce) {
  for (int steps = 1; steps <= 6; ++steps) {
    EXPECT_EQ(count(everything(), steppers(2, steps)), multinomial(2, steps)) << steps;
  }
}

TEST(Dfs, RunsEveryInterleavingOfThreeThreadsOnce) {
  for (int steps = 1; steps <= 3; ++steps) {
    EXPECT_EQ(count(everything(), steppers(3, steps)), multinomial(3, steps)) << steps;
  }
}

TEST(Dfs, RunsEveryInterleavingOfFiveThreadsOnce) {
  EXPECT_EQ(count(everything(), steppers(5, 1)), factorial(5));
}

void two_steppers() { steppers(2, 1)(); }

TEST(Dfs, RunsAPlainFunction) {
  EXPECT_EQ(ricercar::check(everything(), two_steppers).executions, 2u);
  EXPECT_EQ(ricercar::check(everything(), &two_steppers).executions, 2u);
}

TEST(Dfs, InterleavesTheMainThreadWithTheOneItCreates) {
  for (int steps = 1; steps <= 5; ++steps) {
    const auto body = [steps] {
      std::atomic<int> counter = 0;
      const auto add = [&counter, steps] {
        for (int i = 0; i < steps; ++i) ++counter;
      };
      std::thread other(add);
      add();
      other.join();
    };
    EXPECT_EQ(count(everything(), body), multinomial(2, steps)) << steps;
  }
}

TEST(Dfs, DoesNotInterleaveThreadsThatNeverMeet) {
  const auto body = [] {
    std::atomic<int> counter = 0;
    for (int i = 0; i < 3; ++i) std::thread([&counter] { counter = counter + 1; }).join();
    ricercar::require(counter == 3);
  };
  EXPECT_EQ(count(everything(), body), 1U);
}

TEST(Dfs, OrdersCriticalSectionsOfOneLock) {
  for (int sections = 1; sections <= 3; ++sections) {
    EXPECT_EQ(count(everything(), lockers(3, sections)), multinomial(3, sections)) << sections;
  }
  EXPECT_EQ(count(everything(), lockers(2, 5)), multinomial(2, 5));
}

TEST(Dfs, RunsEveryInterleavingOfTwoReaders) {
  const auto body = [] {
    std::shared_mutex mutex;
    run_threads(2, [&mutex] { std::shared_lock lock(mutex); });
  };
  EXPECT_EQ(count(everything(), body), multinomial(2, 2));  // each locks and unlocks
}

TEST(Dfs, OrdersTwoWriters) {
  const auto body = [] {
    std::shared_mutex mutex;
    run_threads(2, [&mutex] { std::unique_lock lock(mutex); });
  };
  EXPECT_EQ(count(everything(), body), 2U);
}

TEST(Dfs, SeparatesThePhasesOfABarrier) {
  const auto body = [] {
    std::atomic<int> counter = 0;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 2);
    run_threads(2, [&] {
      ++counter;
      pthread_barrier_wait(&barrier);
      ++counter;
    });
    pthread_barrier_destroy(&barrier);
  };
  // A step and an arrival each; then, freed together, a step each.
  EXPECT_EQ(count(everything(), body), multinomial(2, 2) * multinomial(2, 1));
}

TEST(Dfs, SkipsAtomicsIfThePointsAreSynchronisationOnly) {
  ricercar::Options options = everything();
  options.points = "sync";
  EXPECT_EQ(count(options, steppers(2, 4)), 1U);
  EXPECT_EQ(count(options, lockers(2, 3)), multinomial(2, 3));
}

int plain_counter;

void* write_twice(void*) {
  plain_counter = 1;
  asm volatile("" ::: "memory");  // both writes stay
  plain_counter = 2;
  return nullptr;
}

TEST(Dfs, InterleavesPlainAccessesIfThePointsAreInMemory) {
  ricercar::Options options = everything();
  options.points = "memory";
  options.races = false;
  const auto body = [] {
    pthread_t threads[2];
    for (pthread_t& thread : threads) pthread_create(&thread, nullptr, write_twice, nullptr);
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    ricercar::require(plain_counter == 2);
  };
  // The main thread reads one handle at any moment (3 places among the first thread's writes) and
  // the other one when the first thread has ended; the second thread writes at any two moments.
  EXPECT_EQ(count(options, body), 3U * 15U);
  options.points = "atomic";
  EXPECT_EQ(count(options, body), 1U);
}

// --- Preemptions ---

// Interleavings of two threads with `left` and `other` steps to go, of which the first one ran
// last, with at most `preemptions`. Whoever runs after a thread's last step does not preempt it.
std::uint64_t bounded(int left, int other, int preemptions) {
  if (left == 0 && other == 0) return 1;
  std::uint64_t ways = 0;
  if (left > 0) ways += bounded(left - 1, other, preemptions);
  const int cost = left > 0 ? 1 : 0;
  if (other > 0 && preemptions >= cost) ways += bounded(other - 1, left, preemptions - cost);
  return ways;
}

// The first step is free: nobody ran before.
std::uint64_t bounded(int steps, int preemptions) {
  return 2 * bounded(steps - 1, steps, preemptions);
}

TEST(PreemptionBound, RunsEveryInterleavingWithinTheBoundOnce) {
  for (int steps = 1; steps <= 5; ++steps) {
    for (int bound = 0; bound <= 4; ++bound) {
      const std::string strategy = "pb:bound=" + std::to_string(bound);
      EXPECT_EQ(count(everything(strategy), steppers(2, steps)), bounded(steps, bound))
          << steps << " steps, " << strategy;
    }
  }
}

TEST(PreemptionBound, CoversEverythingInTheEnd) {
  EXPECT_EQ(bounded(4, 7), multinomial(2, 4));
  EXPECT_EQ(count(everything("pb:bound=7"), steppers(2, 4)), multinomial(2, 4));
  EXPECT_EQ(count(everything("pb:bound=20"), lockers(3, 2)), multinomial(3, 2));
}

TEST(PreemptionBound, CountsNoPreemptionWhereAThreadBlocks) {
  // With one section each there is no point at which a thread that can go on is left.
  EXPECT_EQ(count(everything("pb:bound=0"), lockers(3, 1)), factorial(3));
}

// --- Values ---

TEST(Choices, MultiplyTheExecutions) {
  const auto body = [] {
    const std::uint32_t first = ricercar::choose(3);
    const std::uint32_t second = ricercar::choose(3);
    ricercar::require(first < 3 && second < 3);
  };
  EXPECT_EQ(count(everything(), body), 9U);
  EXPECT_EQ(count(everything("pb:bound=0"), body), 9U);
}

TEST(Choices, OfOneAlternativeAreNone) {
  EXPECT_EQ(count(everything(), [] { ricercar::require(ricercar::choose(1) == 0); }), 1U);
}

TEST(Choices, MultiplyTheInterleavings) {
  const auto body = [] {
    std::atomic<int> sum = 0;
    run_threads(2, [&sum] { sum += static_cast<int>(ricercar::choose(2)); });
  };
  EXPECT_EQ(count(everything(), body), 2U * 2U * 2U);
}

TEST(WeakCompareExchange, FailsOrNotEachTimeButNotTwiceInARow) {
  const auto body = [] {
    std::atomic<int> value = 0;
    std::thread([&value] {
      for (int i = 0; i < 3; ++i) {
        int expected = value;
        value.compare_exchange_weak(expected, expected + 1);
      }
    }).join();
  };
  ricercar::Options options = everything();
  EXPECT_EQ(count(options, body), 1U);
  options.weak_failures = true;
  EXPECT_EQ(count(options, body), 5U);  // the words of three letters without two failures in a row
}

TEST(StrongCompareExchange, NeverFailsWithoutAReason) {
  const auto body = [] {
    std::atomic<int> value = 0;
    int expected = 0;
    ricercar::require(value.compare_exchange_strong(expected, 1));
  };
  ricercar::Options options = everything();
  options.weak_failures = true;
  EXPECT_EQ(count(options, body), 1U);
}

// --- Condition variables ---

// Waiters that arrive one after the other, without any choice: each creates the next one while it
// holds the mutex, and the last one the signaller.
class WaitingRoom {
 public:
  WaitingRoom(int waiters, std::function<void(WaitingRoom&)> signaller, bool passes_on)
      : waiters_(waiters), signaller_(std::move(signaller)), passes_on_(passes_on) {}

  void run() {
    threads_.resize(static_cast<std::size_t>(waiters_) + 1);
    threads_[0] = std::thread([this] { wait(0); });
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  std::mutex mutex;
  std::condition_variable condition;

 private:
  void wait(int number) {
    std::unique_lock lock(mutex);
    const int next = number + 1;
    threads_[static_cast<std::size_t>(next)] = next < waiters_
                                                   ? std::thread([this, next] { wait(next); })
                                                   : std::thread([this] { signaller_(*this); });
    condition.wait(lock);
    if (passes_on_) condition.notify_one();
  }

  int waiters_;
  std::function<void(WaitingRoom&)> signaller_;
  bool passes_on_;
  std::vector<std::thread> threads_;
};

void signal_one(WaitingRoom& room) {
  std::lock_guard guard(room.mutex);
  room.condition.notify_one();
}

void signal_all(WaitingRoom& room) {
  std::lock_guard guard(room.mutex);
  room.condition.notify_all();
}

TEST(ConditionVariable, WakesAnyOfItsWaitersWithOneSignal) {
  for (int waiters = 1; waiters <= 4; ++waiters) {
    const auto body = [waiters] { WaitingRoom(waiters, signal_one, true).run(); };
    EXPECT_EQ(count(everything(), body), factorial(static_cast<std::uint64_t>(waiters)));
  }
}

TEST(ConditionVariable, LetsAllWaitersGoInAnyOrderAfterABroadcast) {
  for (int waiters = 1; waiters <= 4; ++waiters) {
    const auto body = [waiters] { WaitingRoom(waiters, signal_all, false).run(); };
    EXPECT_EQ(count(everything(), body), factorial(static_cast<std::uint64_t>(waiters)));
  }
}

// One thread waits once, another one signals once; in `signalled` the waiter says whether it was.
template <typename Wait>
auto wait_and_signal(Wait wait) {
  return [wait] {
    std::mutex mutex;
    std::condition_variable condition;
    std::thread waiter([&] {
      std::unique_lock lock(mutex);
      wait(condition, lock);
    });
    std::thread signaller([&] {
      std::lock_guard guard(mutex);
      condition.notify_one();
    });
    waiter.join();
    signaller.join();
  };
}

// The signaller comes first and the wait ends by itself: 1. Or the wait begins; the signaller takes
// the mutex, and then it signals, or the wait ends by itself before that: 2. Or the wait ends by
// itself before the signaller takes the mutex, and either of them takes it next: 2.
constexpr std::uint64_t ways_to_end_a_wait = 5;

TEST(ConditionVariable, MayWakeWithoutAReasonIfAsked) {
  ricercar::Options options = everything();
  options.spurious_wakeups = true;
  const auto wait = [](auto& condition, auto& lock) { condition.wait(lock); };
  EXPECT_EQ(count(options, wait_and_signal(wait)), ways_to_end_a_wait);
}

TEST(ConditionVariable, NeverWakesWithoutAReasonIfNotAsked) {
  const auto wait = [](auto& condition, auto& lock) { condition.wait(lock); };
  const ricercar::Result result = ricercar::check(everything(), wait_and_signal(wait));
  ASSERT_EQ(result.bugs.size(), 1U) << result;
  EXPECT_EQ(result.bugs[0].kind, "deadlock");
}

// --- Time ---

TEST(TimedWait, EndsByTimeOrBySignal) {
  static int timeouts, executions;
  timeouts = executions = 0;
  const auto wait = [](auto& condition, auto& lock) {
    ++executions;
    if (condition.wait_for(lock, seconds(1)) == std::cv_status::timeout) ++timeouts;
  };
  EXPECT_EQ(count(everything(), wait_and_signal(wait)), ways_to_end_a_wait);
  EXPECT_EQ(executions, 5);
  EXPECT_EQ(timeouts, 4);
}

TEST(TimedLock, TimesOutOnlyWhileTheMutexIsHeld) {
  static int timeouts;
  timeouts = 0;
  const auto body = [] {
    std::timed_mutex mutex;
    std::thread holder([&mutex] { std::lock_guard guard(mutex); });
    std::thread patient([&mutex] {
      if (mutex.try_lock_for(seconds(1))) {
        mutex.unlock();
      } else {
        ++timeouts;
      }
    });
    holder.join();
    patient.join();
  };
  // The patient one first; or the holder first, and then the unlock or the time-out.
  EXPECT_EQ(count(everything(), body), 3U);
  EXPECT_EQ(timeouts, 1);
}

TEST(TimedAcquire, TimesOutOrSucceeds) {
  static int timeouts;
  timeouts = 0;
  const auto body = [] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    std::thread patient([&] {
      timespec deadline;
      clock_gettime(CLOCK_REALTIME, &deadline);
      ++deadline.tv_sec;
      if (sem_timedwait(&semaphore, &deadline) != 0) ++timeouts;
    });
    sem_post(&semaphore);
    patient.join();
  };
  EXPECT_EQ(count(everything(), body), 2U);
  EXPECT_EQ(timeouts, 1);
}

auto sleepers(int first_seconds, int second_seconds) {
  return [first_seconds, second_seconds] {
    std::thread one([first_seconds] { std::this_thread::sleep_for(seconds(first_seconds)); });
    std::thread two([second_seconds] { std::this_thread::sleep_for(seconds(second_seconds)); });
    one.join();
    two.join();
  };
}

TEST(Sleep, EndsInTheOrderOfTheDeadlines) {
  EXPECT_EQ(count(everything(), sleepers(1, 2)), 1U);
  EXPECT_EQ(count(everything(), sleepers(1, 1)), 2U);
}

TEST(Sleep, EndsAtAnyMomentOfAnotherThread) {
  const auto body = [] {
    std::atomic<int> counter = 0;
    std::thread sleeper([] { std::this_thread::sleep_for(seconds(1)); });
    std::thread worker([&counter] {
      for (int i = 0; i < 3; ++i) ++counter;
    });
    sleeper.join();
    worker.join();
  };
  EXPECT_EQ(count(everything(), body), 4U);
}

// --- Twice ---

void expect_the_same(const ricercar::Result& one, const ricercar::Result& two) {
  EXPECT_EQ(one.executions, two.executions);
  EXPECT_EQ(one.steps, two.steps);
  EXPECT_EQ(one.complete, two.complete);
  EXPECT_EQ(one.coverage, two.coverage);
  ASSERT_EQ(one.bugs.size(), two.bugs.size());
  for (std::size_t i = 0; i < one.bugs.size(); ++i) {
    EXPECT_EQ(one.bugs[i].kind, two.bugs[i].kind);
    EXPECT_EQ(one.bugs[i].message, two.bugs[i].message);
    EXPECT_EQ(one.bugs[i].execution, two.bugs[i].execution);
  }
}

class EveryStrategy : public testing::TestWithParam<const char*> {};

TEST_P(EveryStrategy, GivesTheSameResultTwice) {
  ricercar::Options options;
  options.strategy = GetParam();
  options.executions = 500;
  options.keep_going = true;
  const auto body = [] {
    std::mutex mutex;
    std::atomic<int> turns = 0;
    const auto take_turns = [&] {
      for (int i = 0; i < 3; ++i) {
        std::lock_guard guard(mutex);
        const int seen = turns;
        turns = seen + 1;
      }
      const int seen = turns;
      turns = seen + static_cast<int>(ricercar::choose(3));
    };
    run_threads(3, take_turns);
    ricercar::require(turns >= 9, "an update was lost");
  };
  const ricercar::Result one = ricercar::check(options, body);
  const ricercar::Result two = ricercar::check(options, body);
  EXPECT_EQ(one.executions, 500U);
  expect_the_same(one, two);
}

INSTANTIATE_TEST_SUITE_P(Check, EveryStrategy,
                         testing::Values("", "dfs", "pb:bound=2", "random", "pct:depth=3"));

}  // namespace
