// Vector: two threads append to one vector without a lock. It has room for both, so nothing is
// moved or freed, but both write its size.
#include <cassert>
#include <thread>
#include <vector>

namespace {

std::vector<int> numbers;

void append(int number) { numbers.push_back(number); }  // <- bug: reads, writes

}  // namespace

int main() {
  numbers.reserve(4);
  std::thread one(append, 1);
  std::thread two(append, 2);
  one.join();
  two.join();
  assert(numbers.size() <= 2);
  return 0;
}
