// Vector, fixed: the appends are locked, and later two threads write different elements, which is
// no race. The bug twin is bug/data-race/vector_push_back.cc.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::vector<int> numbers;

void append(int number) {
  std::lock_guard guard(mutex);
  numbers.push_back(number);
}

void overwrite(std::size_t index) { numbers[index] = static_cast<int>(index) * 10; }

}  // namespace

int main() {
  std::thread one(append, 1);
  std::thread two(append, 2);
  one.join();
  two.join();
  assert(numbers.size() == 2 && numbers[0] + numbers[1] == 3);
  std::thread three(overwrite, 0);
  std::thread four(overwrite, 1);
  three.join();
  four.join();
  assert(numbers[0] == 0 && numbers[1] == 10);
  return 0;
}
