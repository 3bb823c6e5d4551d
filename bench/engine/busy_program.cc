// Computes, and then fails an assertion, so that there is something to record.
//
//   busy_program 0         nothing
//   busy_program 1 SIZE    in two threads, with loops and recursion over SIZE thousand numbers
//   busy_program 2 SIZE    before the first thread is created
//   busy_program 3 SIZE    in two threads, SIZE times through 1,000 calls that each access memory
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

long descend(std::vector<int>& numbers, std::size_t depth) {
  if (depth == 0) return 0;
  numbers[depth] += 1;
  const long result = descend(numbers, depth - 1);
  numbers[depth] -= 1;
  return result + numbers[depth];
}

void descend_often(std::size_t count) {
  std::vector<int> numbers(1001);
  for (std::size_t i = 0; i < count; ++i) {
    const long found = descend(numbers, 1000);
    const std::lock_guard guard(mutex);
    total += found;
  }
}

void work(int mode, std::size_t size) {
  if (mode == 3) {
    descend_often(size);
  } else {
    compute(mode == 1 ? 1000 * size : 1);
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  const int mode = argument_count > 1 ? std::atoi(arguments[1]) : 0;
  const std::size_t size = argument_count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1;
  if (mode == 2) compute(8000 * size);
  std::thread one([=] { work(mode, size); });
  std::thread two([=] { work(mode, size); });
  one.join();
  two.join();
  assert(total < 0);
}
