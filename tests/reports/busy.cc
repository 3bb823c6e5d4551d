// Two threads that compute, recursively and on memory of their own, between a few points. At the
// end an assertion fails.
#include <cassert>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
long total = 0;

long sum(const std::vector<int>& numbers, std::size_t from, std::size_t to) {
  if (to - from == 1) return numbers[from];
  const std::size_t middle = from + (to - from) / 2;
  return sum(numbers, from, middle) + sum(numbers, middle, to);
}

void compute() {
  std::vector<int> numbers(1 << 17);
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i % 3);
    const long found = sum(numbers, 0, numbers.size());
    const std::lock_guard guard(mutex);
    total += found;
  }
}

}  // namespace

int main() {
  std::thread one(compute);
  std::thread two(compute);
  one.join();
  two.join();
  assert(total == 0);
}
