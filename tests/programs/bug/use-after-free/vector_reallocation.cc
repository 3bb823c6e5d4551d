// Vector reallocation: a reader keeps a pointer to an element from one critical section to the
// next; an append in between moves the elements and frees the old array.
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::vector<int> numbers = {1};

int* first() {
  std::lock_guard guard(mutex);
  return &numbers.front();  // <- why: reads
}  // <- why: unlocks

void increase_first() {
  int* const number = first();
  std::lock_guard guard(mutex);
  ++*number;  // <- bug: reads, writes
}

void append() {
  std::lock_guard guard(mutex);
  numbers.push_back(2);  // <- bug: frees // <- why: frees
}

}  // namespace

int main() {
  std::thread reader(increase_first);
  std::thread appender(append);
  reader.join();
  appender.join();
  return 0;
}
