// A long loop without any operation that a scheduler could see, which ends after ten million
// rounds. The bug twin is bug/hang/endless_loop.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> step = 1;

void count() {
  const int mine = step;
  volatile int reached = 0;
  while (reached < 10'000'000) reached = reached + mine;
  assert(reached >= 10'000'000);
}

void double_step() { step = 2; }

}  // namespace

int main() {
  std::thread counter(count);
  std::thread doubler(double_step);
  counter.join();
  doubler.join();
  return 0;
}
