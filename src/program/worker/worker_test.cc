// The life of a worker: a search from its beginning to its end in this process, and with a process
// for each execution.
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>

#include "worker/scripted_runtime.h"
#include "worker/scripted_threads.h"

namespace {

using ricercar::run_threads;
template <typename Body>
ScriptedSearch search(ScriptedSearch options, Body body) {
  ricercar_search_script(
      &options, [](void* context) { (*static_cast<Body*>(context))(); }, &body);
  return options;
}

struct Locks {
  pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

  static void take(pthread_mutex_t& first, pthread_mutex_t& second) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
  }
};

// Two threads take one lock each: two orders.
void two_orders() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const auto work = [&] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  };
  run_threads(work, work);
}

void crossed_locks() {
  Locks locks;
  run_threads([&] { Locks::take(locks.a, locks.b); }, [&] { Locks::take(locks.b, locks.a); });
}

TEST(Worker, SearchesUntilNothingIsLeft) {
  ScriptedSearch options;
  options.strategy = "dpor";
  const ScriptedSearch result = search(options, two_orders);
  EXPECT_TRUE(result.came_to_its_end);
  EXPECT_STREQ(result.status, "finished");
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.executions, 2U);
  EXPECT_EQ(result.restarts, 3U);  // once more before the strategy says that nothing is left
  EXPECT_EQ(result.bugs, 0U);
  EXPECT_FALSE(result.is_searching_afterwards);
}

TEST(Worker, EndsWithTheFirstBug) {
  const ScriptedSearch result = search({}, crossed_locks);
  EXPECT_TRUE(result.came_to_its_end);
  EXPECT_STREQ(result.status, "stopped");
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.bugs, 1U);
  EXPECT_STREQ(result.first_bug, "deadlock");
  EXPECT_EQ(result.restarts, result.executions);
}

TEST(Worker, GoesOnAfterABugIfItIsAskedTo) {
  ScriptedSearch options;
  options.keep_going = true;
  const ScriptedSearch result = search(options, crossed_locks);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.bugs, 2U);  // either of the two threads closes the circle
  EXPECT_GT(result.executions, search({}, crossed_locks).executions);
}

TEST(Worker, StopsAtALimitOfExecutions) {
  ScriptedSearch options;
  options.strategy = "random";
  options.max_executions = 7;
  const ScriptedSearch result = search(options, two_orders);
  EXPECT_EQ(result.executions, 7U);
  EXPECT_EQ(result.restarts, 7U);
  EXPECT_FALSE(result.complete);
}

TEST(Worker, FailsWithAStrategyThatThereIsNot) {
  ScriptedSearch options;
  options.strategy = "guess";
  const ScriptedSearch result = search(options, two_orders);
  EXPECT_STREQ(result.status, "failed");
  EXPECT_EQ(result.executions, 0U);
}

TEST(Worker, SurvivesCrashesOfForkedExecutions) {
  ScriptedSearch options;
  options.strategy = "dpor";
  options.force_fork = true;
  options.keep_going = true;
  const ScriptedSearch result = search(options, [] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int first = 0;
    const auto work = [&](int number) {
      pthread_mutex_lock(&mutex);
      if (first == 0) first = number;
      if (first == 2) __builtin_trap();
      pthread_mutex_unlock(&mutex);
    };
    run_threads([&] { work(1); }, [&] { work(2); });
  });
  EXPECT_TRUE(result.came_to_its_end);
  EXPECT_STREQ(result.status, "finished");
  EXPECT_EQ(result.executions, 2U);
  EXPECT_EQ(result.bugs, 1U);
  EXPECT_STREQ(result.first_bug, "crash");
}

}  // namespace
