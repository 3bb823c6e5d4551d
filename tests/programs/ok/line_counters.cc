// The compiler counts how often each line runs, and all threads add to the same counters.
// libraries: --coverage
// options: --executions 200
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int shared = 0;

void add(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const std::lock_guard guard(mutex);
    shared += shared % 2 == 0 ? 1 : 3;
  }
}

}  // namespace

int main() {
  std::thread one(add, 2);
  std::thread two(add, 2);
  one.join();
  two.join();
  assert(shared == 8);
  return 0;
}
