// The thread pool: so many workers, five tasks for each of them, and the end. Every task has to
// have run when the pool has been joined.
#include <cassert>

#include "../components/arguments.h"
#include "../components/thread_pool/thread_manager.h"

namespace hapset {
namespace {

constexpr int tasks_of_worker = 5;

// What the tasks of all workers have done.
class Tally {
 public:
  void add() {
    const pool::Synchronized synchronized(monitor_);
    ++count_;
  }

  int count() {
    const pool::Synchronized synchronized(monitor_);
    return count_;
  }

 private:
  pool::Monitor monitor_;
  int count_ = 0;
};

void test(int workers, pool::PoolBug bug) {
  Tally tally;
  const pool::ThreadFactory factory;
  pool::ThreadManager manager(factory, {0, bug});
  manager.start();
  manager.add_workers(static_cast<std::size_t>(workers));
  for (int i = 0; i < workers * tasks_of_worker; ++i) {
    manager.add(pool::FunctionRunner::make([&tally] { tally.add(); }));
  }
  manager.join();
  assert(tally.count() == workers * tasks_of_worker);
  assert(manager.worker_count() == 0);
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  const Arguments arguments(count, words, {"unlocked-notify"}, {2, 5});
  test(arguments.workers(),
       arguments.planted("unlocked-notify") ? pool::PoolBug::unlocked_notify : pool::PoolBug::none);
  return 0;
}
