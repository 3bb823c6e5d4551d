// A long start: millions of accesses to memory, and much recursion, before there is a second
// thread.
#include <cstddef>
#include <thread>
#include <vector>

namespace {

int counter = 0;

void count() { ++counter; }

long sum(const std::vector<int>& numbers, std::size_t from, std::size_t to) {
  if (to - from == 1) return numbers[from];
  const std::size_t middle = from + (to - from) / 2;
  return sum(numbers, from, middle) + sum(numbers, middle, to);
}

}  // namespace

int main() {
  std::vector<int> numbers(1 << 20);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i % 3);
  if (sum(numbers, 0, numbers.size()) == 0) return 1;
  std::thread one(count);
  std::thread two(count);
  one.join();
  two.join();
}
