// Random small programs, executed under every schedule, against an independent model that
// enumerates the same programs by brute force: the same executions, each as often as in the model.
#include <gtest/gtest.h>
#include <pthread.h>
#include <ricercar/ricercar.h>
#include <semaphore.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "generated/program.h"

namespace ricercar::test {
namespace {

constexpr std::uint64_t programs = 400;
constexpr std::uint64_t execution_limit = 4000;  // larger programs are left out

// The objects of one execution, and threads that interpret a program on them.
class Machine {
 public:
  explicit Machine(const Program& program) : program_(program) {
    sem_init(&semaphore_, 0, 0);
    pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(program.size()));
  }

  Final run() {
    std::thread threads[max_threads];
    for (std::size_t i = 0; i < program_.size(); ++i) {
      threads[i] = std::thread([this, i] { interpret(i); });
    }
    for (std::size_t i = 0; i < program_.size(); ++i) threads[i].join();
    for (int i = 0; i < variables; ++i) {
      final_.values[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(variable(i).load());
    }
    return final_;
  }

 private:
  std::atomic<int>& variable(int number) { return variables_[static_cast<std::size_t>(number)]; }
  std::mutex& mutex(int number) { return mutexes_[static_cast<std::size_t>(number)]; }

  void interpret(std::size_t thread) {
    const Thread& operations = program_[thread];
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const int result = perform(operations[i]);
      final_.results[thread][i] = static_cast<std::int8_t>(result);
      const Kind kind = operations[i].kind;
      if ((kind == Kind::try_lock || kind == Kind::timed_lock) && result == 0) {
        i += static_cast<std::size_t>(operations[i].second);
      }
    }
  }

  int perform(const Operation& operation) {
    switch (operation.kind) {
      case Kind::load:
        return variable(operation.object).load();
      case Kind::store:
        variable(operation.object).store(operation.first);
        return 0;
      case Kind::add:
        return variable(operation.object).fetch_add(operation.first);
      case Kind::compare_exchange:
        return compare_exchange(operation) ? 1 : 0;
      case Kind::lock:
        mutex(operation.object).lock();
        return 0;
      case Kind::unlock:
        mutex(operation.object).unlock();
        return 0;
      case Kind::try_lock:
        return mutex(operation.object).try_lock() ? 1 : 0;
      case Kind::timed_lock:
        return timed_lock(operation) ? 1 : 0;
      case Kind::take:
        return sem_wait(&semaphore_) == 0 ? 1 : 0;
      case Kind::timed_take:
        return timed_take(operation) ? 1 : 0;
      default:
        synchronise(operation.kind);
        return 0;
    }
  }

  bool compare_exchange(const Operation& operation) {
    int expected = operation.first;
    return variable(operation.object).compare_exchange_strong(expected, operation.second);
  }

  // An absolute time; in virtual time it is far away.
  static timespec moment(const Operation& operation) { return {100000 + operation.first, 0}; }

  bool timed_lock(const Operation& operation) {
    const timespec limit = moment(operation);
    return pthread_mutex_clocklock(mutex(operation.object).native_handle(), CLOCK_MONOTONIC,
                                   &limit) == 0;
  }

  bool timed_take(const Operation& operation) {
    const timespec limit = moment(operation);
    return sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &limit) == 0;
  }

  void synchronise(Kind kind) {
    switch (kind) {
      case Kind::post:
        sem_post(&semaphore_);
        return;
      case Kind::read_lock:
        pthread_rwlock_rdlock(&shared_lock_);
        return;
      case Kind::write_lock:
        pthread_rwlock_wrlock(&shared_lock_);
        return;
      case Kind::release:
        pthread_rwlock_unlock(&shared_lock_);
        return;
      case Kind::wait_for_flag:
        while (!final_.flag) wait();
        return;
      case Kind::wait_once:
        wait();
        return;
      case Kind::raise_flag:
        final_.flag = true;
        return;
      case Kind::signal:
        condition_.notify_one();
        return;
      case Kind::broadcast:
        condition_.notify_all();
        return;
      case Kind::barrier:
        pthread_barrier_wait(&barrier_);
        return;
      default:
        std::this_thread::yield();
    }
  }

  // The mutex is held, and will be unlocked by an operation of its own.
  void wait() {
    std::unique_lock lock(mutexes_[0], std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }

  const Program& program_;
  Final final_;
  std::atomic<int> variables_[variables] = {};
  std::mutex mutexes_[mutexes];
  std::condition_variable condition_;
  pthread_rwlock_t shared_lock_ = PTHREAD_RWLOCK_INITIALIZER;
  sem_t semaphore_;
  pthread_barrier_t barrier_;
};

// Results are kept outside of the executions, in memory that is there before they begin.
Executions execute(const Program& program, std::uint64_t expected, const Options& options) {
  Executions all;
  all.finals.reserve(expected + execution_limit);
  const Result result = check(options, [&program, &all] {
    const Final final = Machine(program).run();
    if (all.finals.size() < all.finals.capacity()) all.finals.push_back(final);
  });
  EXPECT_TRUE(result.error.empty()) << result;
  EXPECT_TRUE(result.complete) << result;
  for (const Bug& bug : result.bugs) EXPECT_EQ(bug.kind, "deadlock") << result;
  // An execution that a strategy cut short is none of either kind.
  all.deadlocks = result.bugs.empty() ? 0 : result.executions - all.finals.size();
  std::sort(all.finals.begin(), all.finals.end());
  return all;
}

Options every_schedule(const std::string& strategy) {
  Options options;
  options.strategy = strategy;
  options.executions = 0;
  options.keep_going = true;
  options.out = "/proc/version/nowhere";  // thousands of schedules of deadlocks are of no use
  return options;
}

void expect_the_same(std::uint64_t seed, const Program& program, const Executions& expected,
                     const Executions& found) {
  const std::string text = "program " + std::to_string(seed) + ":\n" + to_text(program);
  EXPECT_EQ(found.count(), expected.count()) << text;
  EXPECT_EQ(found.deadlocks, expected.deadlocks) << text;
  EXPECT_TRUE(found.finals == expected.finals) << text;
}

void compare(const std::string& strategy) {
  std::uint64_t compared = 0;
  std::uint64_t deadlocking = 0;
  for (std::uint64_t seed = 1; compared < programs; ++seed) {
    const Program program = generate(seed);
    const Executions expected = enumerate(program, execution_limit);
    if (expected.count() == 0) continue;
    const Executions found = execute(program, expected.count(), every_schedule(strategy));
    expect_the_same(seed, program, expected, found);
    if (testing::Test::HasFailure()) return;
    ++compared;
    if (expected.deadlocks > 0) ++deadlocking;
  }
  // The programs are worth something: many have deadlocks, and many have none.
  EXPECT_GT(deadlocking, programs / 10);
  EXPECT_LT(deadlocking, programs * 9 / 10);
}

bool has_time_limits(const Program& program) {
  return std::any_of(program.begin(), program.end(), [](const Thread& thread) {
    return std::any_of(thread.begin(), thread.end(), [](const Operation& operation) {
      return operation.kind == Kind::timed_lock || operation.kind == Kind::timed_take;
    });
  });
}

// The long test asks for more.
std::uint64_t wanted_programs() {
  const char* wanted = std::getenv("RICERCAR_GENERATED_PROGRAMS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : programs;
}

std::vector<Final> distinct(std::vector<Final> finals) {
  finals.erase(std::unique(finals.begin(), finals.end()), finals.end());
  return finals;
}

// The same results and the same bugs as all executions together have. Where the number of traces is
// clear, one execution for each: time limits add an order of their own, and a deadlock that is
// found before everybody is stuck cuts a trace short.
TEST(GeneratedPrograms, HaveTheResultsOfTheModelUnderDpor) {
  std::uint64_t counted = 0;
  std::uint64_t compared = 0;
  std::uint64_t traces = 0;
  std::uint64_t executions = 0;
  const std::uint64_t number = wanted_programs();
  for (std::uint64_t seed = 1; compared < number; ++seed) {
    const Program program = generate(seed);
    const Executions expected = enumerate(program, execution_limit);
    if (expected.count() == 0) continue;
    ++compared;
    const Executions found = execute(program, expected.count(), every_schedule("dpor"));
    const std::string text = "program " + std::to_string(seed) + ":\n" + to_text(program);
    EXPECT_TRUE(distinct(found.finals) == distinct(expected.finals)) << text;
    EXPECT_EQ(found.deadlocks > 0, expected.deadlocks > 0) << text;
    if (!has_time_limits(program) && expected.deadlocks == 0) {
      ++counted;
      EXPECT_EQ(found.finals.size(), expected.traces.size()) << text;
      traces += expected.traces.size();
      executions += expected.count();
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(counted, number / 10);
  EXPECT_LT(traces * 2, executions);
}

// With the bound alone or with the reduction too: the same results, the same bugs.
TEST(GeneratedPrograms, HaveTheSameResultsUnderBporAsUnderPb) {
  std::uint64_t compared = 0;
  std::uint64_t reduced = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; compared < wanted_programs(); ++seed) {
    const Program program = generate(seed);
    const Executions model = enumerate(program, execution_limit);
    if (model.count() == 0) continue;
    ++compared;
    for (const std::string bound : {"0", "1", "2", "1000"}) {
      const Executions expected =
          execute(program, model.count(), every_schedule("pb:bound=" + bound));
      const Executions found =
          execute(program, model.count(), every_schedule("bpor:bound=" + bound));
      const std::string text =
          "bound " + bound + ", program " + std::to_string(seed) + ":\n" + to_text(program);
      EXPECT_TRUE(distinct(found.finals) == distinct(expected.finals)) << text;
      EXPECT_EQ(found.deadlocks > 0, expected.deadlocks > 0) << text;
      reduced += found.count();
      all += expected.count();
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_LT(reduced, all);
}

// Whatever comes first, in the end everything has been there.
TEST(GeneratedPrograms, HaveTheResultsOfTheModelUnderBestFirstSearch) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; compared < wanted_programs() / 4; ++seed) {
    const Program program = generate(seed);
    const Executions expected = enumerate(program, execution_limit);
    if (expected.count() == 0) continue;
    ++compared;
    const std::string text = "program " + std::to_string(seed) + ":\n" + to_text(program);
    for (const std::string priority : {"mdpor+pb", "rand", "ss+novel"}) {
      const Executions all = execute(program, expected.count(),
                                     every_schedule("bestfirst:space=all,priority=" + priority));
      if (expected.deadlocks == 0) expect_the_same(seed, program, expected, all);
      EXPECT_TRUE(distinct(all.finals) == distinct(expected.finals)) << priority << ' ' << text;
      const Executions bounded = execute(
          program, expected.count(), every_schedule("bestfirst:space=pb=1,priority=" + priority));
      const Executions pb = execute(program, expected.count(), every_schedule("pb:bound=1"));
      EXPECT_TRUE(distinct(bounded.finals) == distinct(pb.finals)) << priority << ' ' << text;
      const Executions reduced = execute(
          program, expected.count(), every_schedule("bestfirst:space=dpor,priority=" + priority));
      EXPECT_TRUE(distinct(reduced.finals) == distinct(expected.finals)) << priority << ' ' << text;
      EXPECT_EQ(reduced.deadlocks > 0, expected.deadlocks > 0) << priority << ' ' << text;
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(GeneratedPrograms, HaveTheExecutionsOfTheModelUnderDfs) { compare("dfs"); }

TEST(GeneratedPrograms, HaveTheExecutionsOfTheModelUnderALargePreemptionBound) {
  compare("pb:bound=1000");
}

}  // namespace
}  // namespace ricercar::test
