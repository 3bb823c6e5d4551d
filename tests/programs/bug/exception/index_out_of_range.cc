// Index out of range: the size is checked in one critical section and the element read with at() in
// the next; a removal in between throws std::out_of_range.
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::vector<int> numbers = {1};
int seen = 0;

std::size_t size() {
  std::lock_guard guard(mutex);
  return numbers.size();
}

void read_first() {
  if (size() == 0) return;
  std::lock_guard guard(mutex);
  seen = numbers.at(0);  // <- bug: fails
}

void clear() {
  std::lock_guard guard(mutex);
  numbers.clear();
}

}  // namespace

int main() {
  std::thread reader(read_first);
  std::thread remover(clear);
  reader.join();
  remover.join();
  return 0;
}
