// Self-lock: a locked function calls another one that locks the same mutex. It happens only if the
// cache is still empty.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int cached = 0;

void fill_cache() {
  std::lock_guard guard(mutex);  // <- bug: waits // <- why: waits
  cached = 42;
}

int get() {
  std::lock_guard guard(mutex);  // <- why: locks
  if (cached == 0) fill_cache();
  return cached;
}

}  // namespace

int main() {
  std::thread filler(fill_cache);
  std::thread reader(get);
  filler.join();  // <- bug: waits
  reader.join();  // <- bug: waits
  return 0;
}
