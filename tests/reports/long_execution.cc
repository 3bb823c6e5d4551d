// Two threads that each make so many accesses that no recording holds them.
//
//   race      an early write races with a late one
//   kill      the process is killed at the end
//   (else)    an assertion fails at the end
#include <cassert>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

int victim = 0;

namespace {

long walk(std::vector<int>& numbers) {
  long sum = 0;
  for (std::size_t i = 0; i < 400000; ++i) sum += numbers[i % numbers.size()]++;
  return sum;
}

[[gnu::noinline]] void write_early() { victim = 1; }

void work(bool is_race) {
  std::vector<int> numbers(100);
  walk(numbers);
  if (is_race) write_early();
  walk(numbers);
}

}  // namespace

int main(int, char** arguments) {
  const std::string end = arguments[1];
  std::thread one(work, end == "race");
  std::thread two(work, false);
  if (end == "race") {
    std::vector<int> numbers(100);
    walk(numbers);
    victim = 2;
  }
  one.join();
  two.join();
  if (end == "kill") std::raise(SIGKILL);
  assert(end == "race");
}
