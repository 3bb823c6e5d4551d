// Each primitive by itself: one execution in this process, in which a script says who goes next.
// Bodies assert nothing, because what a test framework does would be steps too; they leave results
// behind.
#include <errno.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "worker/scripted_runtime.h"
#include "worker/scripted_threads.h"

namespace {

using ricercar::run_threads;
using Numbers = std::vector<std::uint32_t>;

template <typename Body>
ScriptedRun run(const Numbers& tasks, Body body, const Numbers& values = {},
                bool spurious_wakeups = false) {
  ScriptedRun result;
  result.tasks = tasks.data();
  result.task_count = tasks.size();
  result.values = values.data();
  result.value_count = values.size();
  result.spurious_wakeups = spurious_wakeups;
  ricercar_run_script(
      &result, [](void* context) { (*static_cast<Body*>(context))(); }, &body);
  EXPECT_TRUE(result.followed) << "offered:\n" << result.offered;
  return result;
}

timespec after(std::uint64_t nanoseconds) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  const std::uint64_t sum = static_cast<std::uint64_t>(time.tv_nsec) + nanoseconds;
  time.tv_sec += static_cast<time_t>(sum / 1000000000);
  time.tv_nsec = static_cast<long>(sum % 1000000000);
  return time;
}

// --- Mutexes ---

TEST(Mutex, WhoIsLockedOutIsNoOption) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const auto work = [&] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  };
  const ScriptedRun result = run({2}, [&] { run_threads(work, work); });
  EXPECT_STREQ(result.offered, "T1 T2\n");
  EXPECT_STREQ(result.trace, "T2 locks\nT2 unlocks\nT1 locks\nT1 unlocks\n");
  EXPECT_STREQ(result.outcome, "ok");
}

TEST(Mutex, AnAttemptFailsWhileAnotherHoldsIt) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int early = -1;
  int late = -1;
  const auto holder = [&] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  };
  const auto attempts = [&] {
    early = pthread_mutex_trylock(&mutex);
    late = pthread_mutex_trylock(&mutex);
  };
  run({1, 2, 1}, [&] { run_threads(holder, attempts); });
  EXPECT_EQ(early, EBUSY);
  EXPECT_EQ(late, 0);
}

TEST(Mutex, ATimeLimitComesWhenItIsChosen) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int error = -1;
  const auto holder = [&] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  };
  const auto impatient = [&] {
    const timespec time = after(1000000);
    error = pthread_mutex_timedlock(&mutex, &time);
  };
  const ScriptedRun result = run({1, 2}, [&] { run_threads(holder, impatient); });
  EXPECT_EQ(error, ETIMEDOUT);
  EXPECT_STREQ(result.offered, "T1 T2\nT1 T2\n");
  EXPECT_GE(result.nanoseconds, 1000000U);
}

TEST(Mutex, ACircleOfOwnersIsADeadlock) {
  pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
  const auto takes = [](pthread_mutex_t* first, pthread_mutex_t* second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
  };
  const ScriptedRun result =
      run({1, 2}, [&] { run_threads([&] { takes(&a, &b); }, [&] { takes(&b, &a); }); });
  EXPECT_STREQ(result.outcome, "deadlock");
  EXPECT_STREQ(result.message,
               "T0 cannot go on: it joins T1; T1 cannot go on: it locks what T2 holds; "
               "T2 cannot go on: it locks what T1 holds");
}

TEST(Mutex, UnlockingWhatAnotherHoldsIsMisuse) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const ScriptedRun result = run({1, 2}, [&] {
    run_threads([&] { pthread_mutex_lock(&mutex); }, [&] { pthread_mutex_unlock(&mutex); });
  });
  EXPECT_STREQ(result.outcome, "lock-misuse");
  EXPECT_STREQ(result.message, "unlocks a mutex that another thread holds");
}

TEST(Mutex, ARecursiveOneCounts) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  int error = -1;
  run({}, [&] {
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    run_threads([&] { error = pthread_mutex_trylock(&mutex); });
    pthread_mutex_unlock(&mutex);
  });
  EXPECT_EQ(error, EBUSY);
}

// --- Conditions ---

struct Waiters {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  int woken[4] = {};
  int count = 0;

  void wait(int number) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    woken[count++] = number;
    pthread_mutex_unlock(&mutex);
  }
};

TEST(Condition, ASignalWakesOneWaiterWhichIsAChoice) {
  for (const std::uint32_t chosen : {0U, 1U}) {
    Waiters waiters;
    const ScriptedRun result = run({1, 1, 2, 2},
                                   [&] {
                                     run_threads([&] { waiters.wait(1); }, [&] { waiters.wait(2); },
                                                 [&] { pthread_cond_signal(&waiters.condition); });
                                   },
                                   {chosen});
    EXPECT_EQ(waiters.count, 1);
    EXPECT_EQ(waiters.woken[0], chosen == 0 ? 1 : 2);
    EXPECT_STREQ(result.outcome, "deadlock");  // the other one waits for ever
  }
}

TEST(Condition, ASignalThatComesTooEarlyIsLost) {
  Waiters waiters;
  const ScriptedRun result = run({2}, [&] {
    run_threads([&] { waiters.wait(1); }, [&] { pthread_cond_signal(&waiters.condition); });
  });
  EXPECT_STREQ(result.outcome, "deadlock");
  EXPECT_EQ(waiters.count, 0);
}

TEST(Condition, ABroadcastWakesAll) {
  Waiters waiters;
  const ScriptedRun result = run({1, 1, 2, 2}, [&] {
    run_threads([&] { waiters.wait(1); }, [&] { waiters.wait(2); },
                [&] { pthread_cond_broadcast(&waiters.condition); });
  });
  EXPECT_STREQ(result.outcome, "ok");
  EXPECT_EQ(waiters.count, 2);
}

TEST(Condition, AWaiterLetsTheMutexGo) {
  Waiters waiters;
  bool was_inside = false;
  run({1, 1}, [&] {
    run_threads([&] { waiters.wait(1); },
                [&] {
                  pthread_mutex_lock(&waiters.mutex);
                  was_inside = waiters.count == 0;
                  pthread_cond_signal(&waiters.condition);
                  pthread_mutex_unlock(&waiters.mutex);
                });
  });
  EXPECT_TRUE(was_inside);
  EXPECT_EQ(waiters.count, 1);
}

// --- Locks for readers and writers ---

TEST(Rwlock, ReadersShareItAndAWriterWaits) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  int readers = 0;
  int most = 0;
  int seen_by_writer = -1;
  const auto read = [&] {
    pthread_rwlock_rdlock(&lock);
    if (++readers > most) most = readers;
    pthread_rwlock_unlock(&lock);
    --readers;
  };
  const auto write = [&] {
    pthread_rwlock_wrlock(&lock);
    seen_by_writer = readers;
    pthread_rwlock_unlock(&lock);
  };
  const ScriptedRun result = run({1, 2, 1, 2}, [&] { run_threads(read, read, write); });
  EXPECT_EQ(most, 2);
  EXPECT_EQ(seen_by_writer, 0);
  EXPECT_STREQ(result.offered, "T1 T2 T3\nT1 T2\nT1 T2\n");
}

TEST(Rwlock, AnAttemptToWriteFailsWhileSomebodyReads) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  int error = -1;
  int reader_error = -1;
  run({1, 2}, [&] {
    run_threads(
        [&] {
          pthread_rwlock_rdlock(&lock);
          pthread_rwlock_unlock(&lock);
        },
        [&] {
          error = pthread_rwlock_trywrlock(&lock);
          reader_error = pthread_rwlock_tryrdlock(&lock);
        });
  });
  EXPECT_EQ(error, EBUSY);
  EXPECT_EQ(reader_error, 0);
}

// --- Semaphores ---

TEST(Semaphore, WhoWaitsIsAnOptionWhenSomethingWasPosted) {
  sem_t semaphore;
  const ScriptedRun result = run({}, [&] {
    sem_init(&semaphore, 0, 0);
    run_threads([&] { sem_wait(&semaphore); }, [&] { sem_post(&semaphore); });
  });
  EXPECT_STREQ(result.trace, "T2 posts to semaphore\nT1 takes from semaphore\n");
  EXPECT_STREQ(result.offered, "");
}

TEST(Semaphore, AnAttemptFailsAtZero) {
  sem_t semaphore;
  int results[3] = {};
  int error = 0;
  run({}, [&] {
    sem_init(&semaphore, 0, 1);
    results[0] = sem_trywait(&semaphore);
    results[1] = sem_trywait(&semaphore);
    error = errno;
    sem_getvalue(&semaphore, &results[2]);
  });
  EXPECT_EQ(results[0], 0);
  EXPECT_EQ(results[1], -1);
  EXPECT_EQ(error, EAGAIN);
  EXPECT_EQ(results[2], 0);
}

TEST(Semaphore, ATimeLimitEndsAWaitThatNobodyElseEnds) {
  sem_t semaphore;
  int result = 0;
  int error = 0;
  const ScriptedRun ran = run({}, [&] {
    sem_init(&semaphore, 0, 0);
    const timespec time = after(5000000);
    result = sem_timedwait(&semaphore, &time);
    error = errno;
  });
  EXPECT_EQ(result, -1);
  EXPECT_EQ(error, ETIMEDOUT);
  EXPECT_GE(ran.nanoseconds, 5000000U);
  EXPECT_STREQ(ran.outcome, "ok");
}

// --- One-time initialisation, barriers ---

int initialisations = 0;

TEST(Once, TheSecondWaitsForTheFirst) {
  initialisations = 0;
  static pthread_once_t once;
  once = PTHREAD_ONCE_INIT;
  int seen[2] = {};
  const auto initialise = [] {
    sched_yield();
    ++initialisations;
  };
  const ScriptedRun result = run({1, 2}, [&] {
    run_threads(
        [&] {
          pthread_once(&once, initialise);
          seen[0] = initialisations;
        },
        [&] {
          pthread_once(&once, initialise);
          seen[1] = initialisations;
        });
  });
  EXPECT_EQ(initialisations, 1);
  EXPECT_EQ(seen[0], 1);
  EXPECT_EQ(seen[1], 1);
  EXPECT_STREQ(result.outcome, "ok");
}

TEST(Barrier, NobodyLeavesBeforeAllHaveCome) {
  pthread_barrier_t barrier;
  int arrived = 0;
  int seen[2] = {};
  int last = 0;
  const auto work = [&](int number) {
    ++arrived;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++last;
    seen[number] = arrived;
  };
  const ScriptedRun result = run({2}, [&] {
    pthread_barrier_init(&barrier, nullptr, 2);
    run_threads([&] { work(0); }, [&] { work(1); });
  });
  EXPECT_STREQ(result.outcome, "ok");
  EXPECT_EQ(seen[0], 2);
  EXPECT_EQ(seen[1], 2);
  EXPECT_EQ(last, 1);
}

TEST(Barrier, OneThatNobodyElseComesToIsADeadlock) {
  pthread_barrier_t barrier;
  const ScriptedRun result = run({}, [&] {
    pthread_barrier_init(&barrier, nullptr, 2);
    pthread_barrier_wait(&barrier);
  });
  EXPECT_STREQ(result.outcome, "deadlock");
}

// --- Keys ---

std::vector<void*> destroyed;

TEST(Keys, EachThreadHasItsOwnValueWhichIsDestroyedAtItsEnd) {
  destroyed.clear();
  destroyed.reserve(4);
  pthread_key_t key;
  char one = 0;
  char two = 0;
  void* seen[3] = {&one, &one, &one};
  run({}, [&] {
    pthread_key_create(&key, [](void* value) { destroyed.push_back(value); });
    run_threads(
        [&] {
          pthread_setspecific(key, &one);
          seen[0] = pthread_getspecific(key);
        },
        [&] {
          seen[2] = pthread_getspecific(key);
          pthread_setspecific(key, &two);
          seen[1] = pthread_getspecific(key);
        });
    pthread_key_delete(key);
  });
  EXPECT_EQ(seen[0], &one);
  EXPECT_EQ(seen[1], &two);
  EXPECT_EQ(seen[2], nullptr);
  EXPECT_EQ(std::set<void*>(destroyed.begin(), destroyed.end()), (std::set<void*>{&one, &two}));
  EXPECT_EQ(destroyed.size(), 2U);
}

// --- Sleeping ---

TEST(Sleep, TheShorterOneEndsFirst) {
  std::string order;
  order.reserve(8);
  const auto sleeper = [&](long milliseconds, char name) {
    const timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, nullptr);
    order += name;
  };
  const ScriptedRun result =
      run({}, [&] { run_threads([&] { sleeper(20, 'a'); }, [&] { sleeper(10, 'b'); }); });
  EXPECT_EQ(order, "ba");
  EXPECT_EQ(result.nanoseconds, 20000000U);
  EXPECT_STREQ(result.trace, "T2 sleeps (its time is over)\nT1 sleeps (its time is over)\n");
}

TEST(Sleep, OthersMayRunBeforeItEnds) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const timespec time = {1, 0};
  const auto work = [&] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  };
  const ScriptedRun result =
      run({2, 1}, [&] { run_threads([&] { nanosleep(&time, nullptr); }, work); });
  EXPECT_STREQ(result.offered, "T1 T2\nT1 T2\n");
  EXPECT_EQ(result.nanoseconds, 1000000000U);
}

// --- Futexes ---

long futex(std::uint32_t* word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

TEST(Futex, AWaitForAnotherValueFails) {
  std::uint32_t word = 1;
  long result = 0;
  int error = 0;
  run({}, [&] {
    result = futex(&word, FUTEX_WAIT_PRIVATE, 0);
    error = errno;
  });
  EXPECT_EQ(result, -1);
  EXPECT_EQ(error, EAGAIN);
}

TEST(Futex, AWakeWakesAsManyAsItSays) {
  std::uint32_t word = 0;
  long woken[2] = {};
  int results[2] = {-1, -1};
  const auto wait = [&](int number) {
    results[number] = static_cast<int>(futex(&word, FUTEX_WAIT_PRIVATE, 0));
  };
  const ScriptedRun result = run({1, 2}, [&] {
    run_threads([&] { wait(0); }, [&] { wait(1); },
                [&] {
                  woken[0] = futex(&word, FUTEX_WAKE_PRIVATE, 1);
                  woken[1] = futex(&word, FUTEX_WAKE_PRIVATE, 5);
                });
  });
  EXPECT_EQ(woken[0], 1);
  EXPECT_EQ(woken[1], 1);
  EXPECT_EQ(results[0], 0);
  EXPECT_EQ(results[1], 0);
  EXPECT_STREQ(result.outcome, "ok");
}

TEST(Futex, ADeadlockIfNobodyWakes) {
  std::uint32_t word = 0;
  const ScriptedRun result = run({}, [&] { futex(&word, FUTEX_WAIT_PRIVATE, 0); });
  EXPECT_STREQ(result.outcome, "deadlock");
}

// --- Threads ---

TEST(Threads, AThreadThatIsDetachedMayBeLeftBehind) {
  sem_t semaphore;
  const ScriptedRun result = run({}, [&] {
    sem_init(&semaphore, 0, 0);
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void* argument) -> void* {
          sem_wait(static_cast<sem_t*>(argument));
          return nullptr;
        },
        &semaphore);
    pthread_detach(thread);
  });
  EXPECT_STREQ(result.outcome, "ok");
}

TEST(Threads, JoiningTwiceIsMisuse) {
  const ScriptedRun result = run({}, [] {
    pthread_t thread;
    pthread_create(
        &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
    pthread_join(thread, nullptr);
    pthread_join(thread, nullptr);
  });
  EXPECT_STREQ(result.outcome, "lock-misuse");
  EXPECT_STREQ(result.message, "joins T1, which was joined before");
}

TEST(Threads, ANewExecutionKnowsNothingOfTheLast) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 2; ++i) {
    const ScriptedRun result = run({}, [&] { pthread_mutex_lock(&mutex); });
    EXPECT_STREQ(result.outcome, "ok");
    EXPECT_STREQ(result.trace, "T0 locks\n");
  }
}

}  // namespace
