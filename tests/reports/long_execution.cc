// Two threads that each make so many accesses that no recording holds them.
//
//   race      an early write races with a late one
//   first     the same, and the early one is the first access of all
//   frees     the same, with hundreds of thousands of frees in between
//   kill      the process is killed at the end
//   (else)    an assertion fails at the end
#include <cassert>
#include <csignal>
#include <cstdlib>
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

void free_often() {
  for (int i = 0; i < 250000; ++i) {
    void* volatile block = std::malloc(16);
    std::free(block);
  }
}

void work(const std::string& end) {
  if (end == "first" || end == "frees") write_early();
  if (end == "frees") return free_often();
  std::vector<int> numbers(100);
  walk(numbers);
  if (end == "race") write_early();
  walk(numbers);
}

bool is_race(const std::string& end) { return end == "race" || end == "first" || end == "frees"; }

}  // namespace

int main(int, char** arguments) {
  const std::string end = arguments[1];
  std::thread one(work, end);
  std::thread two(work, "");
  if (is_race(end)) {
    std::vector<int> numbers(100);
    if (end != "frees") walk(numbers);
    if (end == "frees") free_often();
    victim = 2;
  }
  one.join();
  two.join();
  if (end == "kill") std::raise(SIGKILL);
  assert(is_race(end));
}
