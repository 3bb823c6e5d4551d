// Computes, and then fails an assertion, so that there is something to record.
//
//   busy_program 0         nothing
//   busy_program 1 SIZE    in two threads, with loops and recursion over SIZE thousand numbers
//   busy_program 2 SIZE    before the first thread is created
#include <cassert>
#include <cstdlib>
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

void compute(std::size_t count) {
  std::vector<int> numbers(count);
  for (int round = 0; round < 8; ++round) {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<int>(i) % 3 + round;
    const long found = sum(numbers, 0, count);
    const std::lock_guard guard(mutex);
    total += found;
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  const int mode = argument_count > 1 ? std::atoi(arguments[1]) : 0;
  const std::size_t count = argument_count > 2 ? 1000 * std::strtoul(arguments[2], nullptr, 10) : 1;
  if (mode == 2) compute(8 * count);
  std::thread one([=] { compute(mode == 1 ? count : 1); });
  std::thread two([=] { compute(mode == 1 ? count : 1); });
  one.join();
  two.join();
  assert(total < 0);
}
