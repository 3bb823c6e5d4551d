// Two threads add under a mutex; then main updates an atomic so often that no recording would hold
// it, if these were plain accesses. At the end an assertion fails.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int total = 0;
std::atomic<long> counter{0};

void add(int value) {
  const std::lock_guard lock(mutex);
  total += value;
}

}  // namespace

int main() {
  std::thread other(add, 7);
  add(1);
  other.join();
  for (int i = 0; i < 500000; ++i) counter.fetch_add(1, std::memory_order_relaxed);
  assert(counter == total);
}
