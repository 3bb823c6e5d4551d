// std::notify_all_at_thread_exit: the waiter is woken only after the destructors of the thread's
// thread_local objects have run.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
bool done = false;
bool destroyed = false;

struct Local {
  ~Local() { destroyed = true; }
  int value = 0;
};

thread_local Local local;

void work() {
  local.value = 1;
  std::unique_lock lock(mutex);
  done = true;
  std::notify_all_at_thread_exit(changed, std::move(lock));
}

}  // namespace

int main() {
  std::thread worker(work);
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return done; });
    assert(destroyed);
  }
  worker.join();
  return 0;
}
