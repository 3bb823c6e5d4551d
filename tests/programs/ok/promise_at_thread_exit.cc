// promise::set_value_at_thread_exit and packaged_task::make_ready_at_thread_exit: the result is
// ready only after the thread's thread_local objects are gone. libstdc++.so makes it ready in
// compiled code, so a detector that sees instrumented code alone may call the hand-over a race.
// options: --no-races
#include <cassert>
#include <future>
#include <thread>
#include <utility>

namespace {

bool destroyed = false;

struct Local {
  ~Local() { destroyed = true; }
  int value = 0;
};

thread_local Local local;

void set_at_exit(std::promise<int> promise) {
  promise.set_value_at_thread_exit(1);
  local.value = 1;
}

void run_at_exit(std::packaged_task<int()> task) {
  task.make_ready_at_thread_exit();
  local.value = 1;
}

}  // namespace

int main() {
  std::promise<int> promise;
  std::future<int> promised = promise.get_future();
  std::thread first(set_at_exit, std::move(promise));
  assert(promised.get() == 1);
  assert(destroyed);
  first.join();

  destroyed = false;
  std::packaged_task<int()> task([] { return 2; });
  std::future<int> packaged = task.get_future();
  std::thread second(run_at_exit, std::move(task));
  assert(packaged.get() == 2);
  assert(destroyed);
  second.join();
  return 0;
}
