// Exact numbers of Mazurkiewicz traces under `dpor`: one execution for each, and none that is cut
// short; and the same numbers under best-first search. The numbers are computed here, on paper or
// by brute force, and share nothing with the strategy.
#include <gtest/gtest.h>
#include <pthread.h>
#include <ricercar/ricercar.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include <algorithm>
#include <array>
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

#include "generated/machine.h"
#include "generated/program.h"
#include "support/combinatorics.h"

namespace ricercar::test {
namespace {

using std::chrono::seconds;

std::uint64_t power(std::uint64_t base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

Options everything(const std::string& strategy) {
  Options options;
  options.strategy = strategy;
  options.executions = 0;
  options.minimise = false;  // the bodies count
  return options;
}

// In whatever order: each trace once, besides what is known to be redundant.
template <typename Body>
void expect_best_first(Body body, Options options, std::uint64_t traces) {
  for (const char* strategy :
       {"bestfirst:space=dpor,priority=rand", "bestfirst:space=persistent,priority=mdpor+pb"}) {
    options.strategy = strategy;
    const Result result = check(options, body);
    EXPECT_TRUE(result.complete) << result;
    EXPECT_EQ(result.coverage.substr(0, result.coverage.find(';')),
              "every Mazurkiewicz trace: " + std::to_string(traces))
        << strategy << '\n'
        << result;
  }
}

template <typename Body>
std::uint64_t traces(Body body, Options options = everything("dpor")) {
  const Result result = check(options, body);
  EXPECT_TRUE(result) << result;
  EXPECT_TRUE(result.complete) << result;
  EXPECT_EQ(result.coverage.find("cut as redundant"), std::string::npos) << result;
  constexpr std::uint64_t few = 5000;
  if (result.executions <= few) expect_best_first(body, options, result.executions);
  return result.executions;
}

void run_threads(int threads, const std::function<void(int)>& body) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(body, i);
  for (std::thread& thread : running) thread.join();
}

// --- One variable ---

TEST(Dpor, OrdersWritersAndAReaderInEveryWay) {
  for (int writers = 1; writers <= 5; ++writers) {
    const auto body = [writers] {
      std::atomic<int> x = 0;
      run_threads(writers + 1, [&x, writers](int i) {
        if (i == writers) {
          x.load();
        } else {
          x.store(i);
        }
      });
    };
    EXPECT_EQ(traces(body), factorial(static_cast<std::uint64_t>(writers) + 1)) << writers;
  }
}

// Each reader comes before the writer or after it.
TEST(Dpor, DoesNotOrderReaders) {
  for (int readers = 1; readers <= 8; ++readers) {
    const auto body = [readers] {
      std::atomic<int> x = 0;
      run_threads(readers + 1, [&x](int i) {
        if (i == 0) {
          x.store(1);
        } else {
          x.load();
        }
      });
    };
    EXPECT_EQ(traces(body), power(2, readers)) << readers;
  }
}

// Interleavings of two threads that load and store in turns, with so many operations to go, in
// which no load of the second thread is directly followed by a load of the first one. These are the
// lexicographic normal forms of the traces (Anisimov and Knuth 1979): there is one for each.
std::uint64_t load_store_traces(int first, int second, bool after_load_of_second) {
  if (first == 0 && second == 0) return 1;
  std::uint64_t ways = 0;
  const bool is_load = first % 2 == 0;
  if (first > 0 && !(is_load && after_load_of_second)) {
    ways += load_store_traces(first - 1, second, false);
  }
  if (second > 0) ways += load_store_traces(first, second - 1, second % 2 == 0);
  return ways;
}

TEST(Dpor, LetsLoadsCommuteAndNoStores) {
  EXPECT_EQ(load_store_traces(6, 6, false), 328U);  // published
  for (int times = 1; times <= 5; ++times) {
    const auto body = [times] {
      std::atomic<int> x = 0;
      run_threads(2, [&x, times](int) {
        for (int i = 0; i < times; ++i) {
          x.load();
          x.store(i);
        }
      });
    };
    EXPECT_EQ(traces(body), load_store_traces(2 * times, 2 * times, false)) << times;
  }
}

// --- Many variables ---

// Thread i sets a[i] to a[i-1] + 1; thread 0 looks for the last zero. (n+3) 2^(n-2) traces.
auto last_zero(int writers) {
  return [writers] {
    std::vector<std::atomic<int>> a(static_cast<std::size_t>(writers) + 1);
    run_threads(writers + 1, [&a, writers](int i) {
      auto at = static_cast<std::size_t>(i == 0 ? writers : i);
      if (i == 0) {
        while (a[at].load() != 0) --at;
      } else {
        a[at].store(a[at - 1].load() + 1);
      }
    });
  };
}

TEST(Dpor, FollowsAReaderThatDependsOnWhatItReads) {
  for (const int writers : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15}) {
    const std::uint64_t expected =
        (static_cast<std::uint64_t>(writers) + 3) * power(2, writers) / 4;
    EXPECT_EQ(traces(last_zero(writers)), expected) << writers;
  }
}

// The first example of Flanagan and Godefroid (POPL 2005): each thread puts four messages into a
// table of 128 places. From the twelfth thread on there are collisions, three for each thread.
auto indexer(int threads) {
  return [threads] {
    constexpr int places = 128;
    constexpr int messages = 4;
    std::array<std::atomic<int>, places> table = {};
    run_threads(threads, [&table](int thread) {
      for (int message = 1; message <= messages; ++message) {
        const int word = message * 11 + thread;
        int place = word * 7 % places;
        int free = 0;
        while (!table[static_cast<std::size_t>(place)].compare_exchange_strong(free, word)) {
          place = (place + 1) % places;
          free = 0;
        }
      }
    });
  };
}

TEST(Dpor, OrdersThreadsOfTheIndexerOnlyWhereTheyCollide) {
  for (int threads = 9; threads <= 15; ++threads) {
    EXPECT_EQ(traces(indexer(threads)), power(8, std::max(0, threads - 11))) << threads;
  }
}

// --- Locks ---

TEST(Dpor, OrdersCriticalSectionsOfOneLockInEveryWay) {
  const std::pair<int, int> sizes[] = {{2, 1}, {2, 2}, {2, 5}, {3, 1}, {3, 2},
                                       {3, 3}, {4, 2}, {5, 1}, {6, 1}};
  for (const auto& [threads, sections] : sizes) {
    const auto body = [threads = threads, sections = sections] {
      std::mutex mutex;
      int counter = 0;
      run_threads(threads, [&](int) {
        for (int i = 0; i < sections; ++i) {
          const std::lock_guard guard(mutex);
          ++counter;
        }
      });
      require(counter == threads * sections);
    };
    const auto n = static_cast<std::uint64_t>(threads);
    EXPECT_EQ(traces(body), multinomial(n, static_cast<std::uint64_t>(sections)))
        << threads << " threads, " << sections << " sections";
  }
}

// The second example of the same paper: an inode has a lock, and so has a block. Thread i begins to
// look for a free block at 2i. Only threads i and i+13 begin at the same one, and whoever comes
// second takes the block after it, which nobody else wants.
auto file_system(int threads) {
  return [threads] {
    constexpr int inodes = 32;
    constexpr int blocks = 26;
    std::array<std::mutex, inodes> inode_locks;
    std::array<std::mutex, blocks> block_locks;
    std::array<int, inodes> inode = {};
    std::array<bool, blocks> busy = {};
    run_threads(threads, [&](int thread) {
      const auto mine = static_cast<std::size_t>(thread % inodes);
      const std::lock_guard inode_guard(inode_locks[mine]);
      if (inode[mine] != 0) return;
      for (std::size_t block = mine * 2 % blocks;; block = (block + 1) % blocks) {
        const std::lock_guard block_guard(block_locks[block]);
        if (busy[block]) continue;
        busy[block] = true;
        inode[mine] = static_cast<int>(block) + 1;
        return;
      }
    });
    for (int i = 0; i < threads; ++i) require(inode[static_cast<std::size_t>(i)] != 0);
  };
}

TEST(Dpor, OrdersThreadsOfTheFileSystemOnlyWhereTheyCollide) {
  for (int threads = 11; threads <= 19; ++threads) {
    EXPECT_EQ(traces(file_system(threads)), power(2, std::max(0, threads - 13))) << threads;
  }
}

// Who takes each fork first: a direction of every edge of a ring.
using Forks = std::array<std::int8_t, 8>;

template <typename Order>
Forks dine(int philosophers, Order first_fork_of) {
  std::array<std::mutex, 8> forks;
  Forks first;
  first.fill(-1);
  run_threads(philosophers, [&](int me) {
    const int one = first_fork_of(me);
    const int other = one == me ? (me + 1) % philosophers : me;
    for (const int fork : {one, other}) {
      forks[static_cast<std::size_t>(fork)].lock();
      std::int8_t& taker = first[static_cast<std::size_t>(fork)];
      if (taker < 0) taker = static_cast<std::int8_t>(me);
    }
    for (const int fork : {one, other}) forks[static_cast<std::size_t>(fork)].unlock();
  });
  return first;
}

// Every direction of the ring's edges but the two that go round.
TEST(Dpor, LetsPhilosophersEatInEveryAcyclicOrder) {
  for (int n = 3; n <= 8; ++n) {
    const auto body = [n] { dine(n, [n](int me) { return me == n - 1 ? 0 : me; }); };
    EXPECT_EQ(traces(body), power(2, n) - 2) << n;
  }
}

struct Dinners {
  std::vector<Forks> orders;
  bool deadlock = false;
};

Dinners left_fork_first(int philosophers, const std::string& strategy) {
  Dinners dinners;
  dinners.orders.reserve(100000);
  Options options = everything(strategy);
  options.keep_going = true;
  options.out = "/proc/version/nowhere";
  const Result result = check(options, [&dinners, philosophers] {
    const Forks forks = dine(philosophers, [](int me) { return me; });
    if (dinners.orders.size() < dinners.orders.capacity()) dinners.orders.push_back(forks);
  });
  EXPECT_TRUE(result.complete) << result;
  for (const Bug& bug : result.bugs) EXPECT_EQ(bug.kind, "deadlock") << result;
  dinners.deadlock = !result.bugs.empty();
  std::sort(dinners.orders.begin(), dinners.orders.end());
  return dinners;
}

TEST(Dpor, FindsTheDeadlockOfThePhilosophersAndEveryDinnerOnce) {
  for (int n = 3; n <= 6; ++n) {
    const Dinners reduced = left_fork_first(n, "dpor");
    EXPECT_TRUE(reduced.deadlock);
    EXPECT_EQ(reduced.orders.size(), power(2, n) - 2) << n;
    if (n > 3) continue;
    Dinners all = left_fork_first(n, "dfs");
    all.orders.erase(std::unique(all.orders.begin(), all.orders.end()), all.orders.end());
    EXPECT_TRUE(all.deadlock);
    EXPECT_EQ(reduced.orders, all.orders) << n;
  }
}

// --- Mixtures, counted by brute force over the model of generated/enumerate.cc ---

constexpr std::uint64_t model_limit = 200000;

std::uint64_t traces_of(const Program& program) {
  return traces([&program] { Machine(program).run(); });
}

void expect_one_execution_for_each_trace(const Program& program) {
  const Executions model = enumerate(program, model_limit);
  ASSERT_GT(model.traces.size(), 0U) << to_text(program);
  ASSERT_EQ(model.deadlocks, 0U) << to_text(program);
  EXPECT_EQ(traces_of(program), model.traces.size()) << to_text(program);
}

const Operation lock_a{Kind::lock, 0}, unlock_a{Kind::unlock, 0};
const Operation lock_b{Kind::lock, 1}, unlock_b{Kind::unlock, 1};
const Operation try_a{Kind::try_lock, 0, 0, 2}, try_b{Kind::try_lock, 1, 0, 2};
const Operation load_x{Kind::load, 0}, load_y{Kind::load, 1};
const Operation add_x{Kind::add, 0, 1};
const Operation store_x{Kind::store, 0, 5}, swap_x{Kind::compare_exchange, 0, 0, 7};
const Operation post{Kind::post}, take{Kind::take}, barrier{Kind::barrier};
const Operation await{Kind::wait_for_flag}, raise{Kind::raise_flag};
const Operation signal{Kind::signal}, broadcast{Kind::broadcast};
const Operation read_lock{Kind::read_lock}, write_lock{Kind::write_lock}, release{Kind::release};

TEST(Dpor, CountsTheTracesOfTryLocks) {
  expect_one_execution_for_each_trace({{try_a, add_x, unlock_a}, {lock_a, add_x, unlock_a}});
  expect_one_execution_for_each_trace(
      {{try_a, add_x, unlock_a}, {try_a, add_x, unlock_a}, {lock_a, unlock_a}});
  expect_one_execution_for_each_trace(
      {{lock_a, try_b, add_x, unlock_b, unlock_a}, {lock_b, try_a, add_x, unlock_a, unlock_b}});
}

TEST(Dpor, CountsTheTracesOfConditionVariables) {
  const Thread waiter = {lock_a, await, load_x, unlock_a};
  expect_one_execution_for_each_trace({waiter, {lock_a, raise, signal, unlock_a}});
  expect_one_execution_for_each_trace({waiter, {add_x, lock_a, raise, unlock_a, signal, add_x}});
  expect_one_execution_for_each_trace({waiter, waiter, {lock_a, raise, broadcast, unlock_a}});
  expect_one_execution_for_each_trace({waiter, waiter, {lock_a, raise, signal, signal, unlock_a}});
  expect_one_execution_for_each_trace(
      {waiter, {try_a, add_x, unlock_a}, {lock_a, raise, broadcast, unlock_a}});
}

TEST(Dpor, CountsTheTracesOfSemaphores) {
  expect_one_execution_for_each_trace({{post, add_x, post}, {take, load_x}, {take, add_x}});
  expect_one_execution_for_each_trace({{post, take, add_x}, {post, take, add_x}, {post, load_x}});
}

TEST(Dpor, CountsTheTracesOfBarriers) {
  expect_one_execution_for_each_trace({{add_x, barrier, load_x}, {add_x, barrier, store_x}});
  expect_one_execution_for_each_trace(
      {{load_x, barrier, add_x}, {add_x, barrier, load_x}, {load_y, barrier, swap_x}});
}

TEST(Dpor, CountsTheTracesOfReadersAndWriters) {
  const Thread reader = {read_lock, load_x, release};
  expect_one_execution_for_each_trace({reader, reader, {write_lock, add_x, release}});
  expect_one_execution_for_each_trace({reader, {read_lock, load_y, release}});
}

TEST(Dpor, CountsTheTracesOfMixtures) {
  expect_one_execution_for_each_trace({{lock_a, await, unlock_a, post},
                                       {take, try_a, load_x, unlock_a},
                                       {lock_a, raise, signal, unlock_a, add_x}});
  expect_one_execution_for_each_trace(
      {{post, barrier, try_a, add_x, unlock_a}, {take, barrier, lock_a, load_x, unlock_a}});
  expect_one_execution_for_each_trace({{read_lock, try_a, add_x, unlock_a, release, post},
                                       {write_lock, add_x, release, take},
                                       {lock_a, swap_x, unlock_a}});
}

// --- What the model does not have, counted on paper ---

// The first thread touches what it has chosen, the second one x: in two orders, or in none.
TEST(Dpor, CombinesValuesOnlyWithTheOrdersThatTheyHave) {
  const auto body = [] {
    std::atomic<int> x = 0;
    std::atomic<int> y = 0;
    run_threads(2, [&](int i) { (i == 1 || choose(2) == 0 ? x : y).fetch_add(1); });
  };
  EXPECT_EQ(traces(body), 3U);
}

// 3 values each, in 2 orders; and by itself a value has no order.
TEST(Dpor, CombinesTheValuesOfTwoThreads) {
  const auto body = [] {
    std::atomic<int> x = 0;
    run_threads(2, [&x](int) { x += static_cast<int>(choose(3)); });
  };
  EXPECT_EQ(traces(body), 18U);
  EXPECT_EQ(traces([] { run_threads(3, [](int) { choose(2); }); }), 8U);
}

// A lock is taken, or not, by the choice of either thread: 2 orders if both do, 1 otherwise.
TEST(Dpor, OrdersLocksOnlyIfTheValueAsksForThem) {
  const auto body = [] {
    std::mutex mutex;
    run_threads(2, [&mutex](int) {
      if (choose(2) == 1) const std::lock_guard guard(mutex);
    });
  };
  EXPECT_EQ(traces(body), 5U);
}

// The signaller comes first, and the time passes: 1. The wait begins and is signalled: 1. It ends
// by its time before the signal, and then either of the two takes the mutex first: 2. (Whether the
// time passes before or after the signaller takes the mutex is not to be told.)
TEST(Dpor, CountsTheTracesOfAWaitWithATimeLimit) {
  const auto body = [] {
    std::mutex mutex;
    std::condition_variable condition;
    run_threads(2, [&](int i) {
      std::unique_lock lock(mutex);
      if (i == 0) {
        condition.wait_for(lock, seconds(1));
      } else {
        condition.notify_one();
      }
    });
  };
  EXPECT_EQ(traces(body), 4U);
}

// The patient one first; or the holder first, and then the unlock or the time-out.
TEST(Dpor, CountsTheTracesOfALockWithATimeLimit) {
  const auto body = [] {
    std::timed_mutex mutex;
    run_threads(2, [&mutex](int i) {
      if (i == 0) {
        const std::lock_guard guard(mutex);
      } else if (mutex.try_lock_for(seconds(1))) {
        mutex.unlock();
      }
    });
  };
  EXPECT_EQ(traces(body), 3U);
}

// The permit comes before the time does, or after it.
TEST(Dpor, CountsTheTracesOfASemaphoreWithATimeLimit) {
  const auto body = [] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    run_threads(2, [&semaphore](int i) {
      const timespec limit{100000, 0};
      if (i == 0) {
        sem_clockwait(&semaphore, CLOCK_MONOTONIC, &limit);
      } else {
        sem_post(&semaphore);
      }
    });
  };
  EXPECT_EQ(traces(body), 2U);
}

// n threads that take and give back one permit k times each: (n * k)! / (k!)^n, as with a lock.
TEST(Dpor, CountsTheTracesOfASystemSemaphore) {
  const auto body = [](int count, int times) {
    return [count, times] {
      const int set = semget(IPC_PRIVATE, 1, 0600);
      semctl(set, 0, SETVAL, 1);
      run_threads(count, [set, times](int) {
        for (int i = 0; i < 2 * times; ++i) {
          sembuf operation = {0, static_cast<short>(i % 2 == 0 ? -1 : 1), 0};
          semop(set, &operation, 1);
        }
      });
    };
  };
  EXPECT_EQ(traces(body(2, 1)), 2U);
  EXPECT_EQ(traces(body(2, 2)), 6U);
  EXPECT_EQ(traces(body(3, 2)), 90U);
}

// Two threads that touch one variable twice each, in every order; with plain accesses as points.
int plain_variable;

void* write_twice(void*) {
  plain_variable = 1;
  asm volatile("" ::: "memory");  // both writes stay
  plain_variable = 2;
  return nullptr;
}

TEST(Dpor, OrdersPlainAccessesIfThePointsAreInMemory) {
  Options options = everything("dpor");
  options.points = "memory";
  options.races = false;
  const auto body = [] {
    pthread_t threads[2];
    for (pthread_t& thread : threads) pthread_create(&thread, nullptr, write_twice, nullptr);
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    require(plain_variable == 2);
  };
  EXPECT_EQ(traces(body, options), multinomial(2, 2));
}

}  // namespace
}  // namespace ricercar::test
