// Division by zero, fixed: the count is read once, checked and used. The bug twin is
// bug/crash/division_by_zero.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> sum = 10;
std::atomic<int> count = 2;
std::atomic<int> average = 0;

void compute() {
  const int seen = count;
  if (seen == 0) return;
  average = sum / seen;
}

void reset() {
  sum = 0;
  count = 0;
}

}  // namespace

int main() {
  std::thread computer(compute);
  std::thread resetter(reset);
  computer.join();
  resetter.join();
  assert(average == 5 || average == 0);
  return 0;
}
