// Division by zero: the average is taken after a check of the count, but another thread resets the
// count in between.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> sum = 10;
std::atomic<int> count = 2;
std::atomic<int> average = 0;

void compute() {
  if (count == 0) return;  // <- why: reads
  average = sum / count;   // <- bug: fails // <- why: reads
}

void reset() {
  sum = 0;
  count = 0;  // <- why: writes
}

}  // namespace

int main() {
  std::thread computer(compute);
  std::thread resetter(reset);
  computer.join();
  resetter.join();
  assert(average >= 0);
  return 0;
}
