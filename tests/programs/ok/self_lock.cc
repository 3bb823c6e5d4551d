// Self-lock, fixed: the inner function expects the mutex to be held. The bug twin is
// bug/deadlock/self_lock.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int cached = 0;

void fill_locked_cache() { cached = 42; }

void fill_cache() {
  std::lock_guard guard(mutex);
  fill_locked_cache();
}

void get() {
  std::lock_guard guard(mutex);
  if (cached == 0) fill_locked_cache();
  assert(cached == 42);
}

}  // namespace

int main() {
  std::thread filler(fill_cache);
  std::thread reader(get);
  filler.join();
  reader.join();
  return 0;
}
