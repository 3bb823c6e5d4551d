// The element is found and changed in one critical section. The bug twin is
// bug/use-after-free/vector_reallocation.cc.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::vector<int> numbers = {1};

void increase_first() {
  std::lock_guard guard(mutex);
  ++numbers.front();
}

void append() {
  std::lock_guard guard(mutex);
  numbers.push_back(2);
}

}  // namespace

int main() {
  std::thread reader(increase_first);
  std::thread appender(append);
  reader.join();
  appender.join();
  assert(numbers == (std::vector<int>{2, 2}));
  return 0;
}
