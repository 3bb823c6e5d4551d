// What thread_pool.cc leaves out of the pool: a queue with a limit, tasks that expire, workers that
// are added and removed while it runs, and timers that add tasks.
#include <cassert>

#include "../components/arguments.h"
#include "../components/thread_pool/errors.h"
#include "../components/thread_pool/thread_manager.h"
#include "../components/thread_pool/timer_manager.h"

namespace hapset {
namespace {

using namespace std::chrono_literals;

void check_limit(const pool::ThreadFactory& factory) {
  pool::ThreadManager manager(factory, {1, pool::PoolBug::none});
  manager.start();
  manager.add(pool::FunctionRunner::make([] {}));
  bool is_full = false;
  try {
    manager.add(pool::FunctionRunner::make([] {}), 0ms);
  } catch (const pool::TooManyPending&) {
    is_full = true;
  }
  assert(is_full);
  bool timed_out = false;
  try {
    manager.add(pool::FunctionRunner::make([] {}), 5ms);
  } catch (const pool::TimedOut&) {
    timed_out = true;
  }
  assert(timed_out);
  const bool was_pending = manager.remove_next() != nullptr;
  const std::size_t pending = manager.pending_count();
  assert(was_pending && pending == 0);
}

void check_expiry(const pool::ThreadFactory& factory) {
  pool::ThreadManager manager(factory, {});
  std::atomic<int> expired = 0;
  manager.set_expire_callback([&expired](pool::Runnable&) { ++expired; });
  manager.start();
  manager.add(pool::FunctionRunner::make([] { assert(false); }), {}, -1ms);
  manager.add_workers(1);
  manager.join();
  const std::size_t counted = manager.expired_count();
  assert(expired == 1 && counted == 1);
}

void check_workers(const pool::ThreadFactory& factory) {
  pool::ThreadManager manager(factory, {1, pool::PoolBug::none});
  pool::Latch latch(3);
  manager.start();
  manager.add_workers(2);
  for (int i = 0; i < 3; ++i) {
    manager.add(pool::FunctionRunner::make([&latch] { latch.count_down(); }));
  }
  manager.remove_workers(1);
  latch.wait();
  assert(manager.worker_count() == 1);
  manager.stop();
  assert(manager.worker_count() == 0);
}

void check_timers(const pool::ThreadFactory& factory) {
  pool::ThreadManager manager(factory, {});
  pool::TimerManager timers(factory);
  pool::Latch latch(1);
  manager.start();
  manager.add_workers(1);
  timers.start();
  timers.add(pool::FunctionRunner::make([&] {
               manager.add(pool::FunctionRunner::make([&latch] { latch.count_down(); }));
             }),
             2ms);
  std::atomic<bool> is_late = false;
  const pool::TimerManager::TimerId later =
      timers.add(pool::FunctionRunner::make([&is_late] { is_late = true; }), 24h);
  latch.wait();
  const bool removed = timers.remove(later);
  timers.stop();
  assert(removed != is_late);
  manager.join();
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  const Arguments arguments(count, words, {});
  const pool::ThreadFactory factory;
  check_limit(factory);
  check_expiry(factory);
  check_workers(factory);
  check_timers(factory);
  return 0;
}
