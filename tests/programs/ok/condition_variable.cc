// std::condition_variable: a plain wait with a predicate, a wait_for that may or may not time out,
// and a wait_until that must.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::mutex mutex;
std::condition_variable changed;
int stage = 0;

void advance(int to) {
  std::lock_guard guard(mutex);
  stage = to;
  changed.notify_all();
}

}  // namespace

int main() {
  std::thread setter([] {
    advance(1);
    advance(2);
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return stage >= 1; });
  assert(stage == 1 || stage == 2);
  const bool reached = changed.wait_for(lock, milliseconds(1), [] { return stage == 2; });
  assert(!reached || stage == 2);
  const steady_clock::time_point deadline = steady_clock::now() + milliseconds(1);
  const bool impossible = changed.wait_until(lock, deadline, [] { return stage == 3; });
  assert(!impossible);
  assert(steady_clock::now() >= deadline);
  lock.unlock();
  setter.join();
  assert(stage == 2);
  return 0;
}
