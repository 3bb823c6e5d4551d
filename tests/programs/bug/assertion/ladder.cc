// Ladder: one thread climbs the even steps and the other the odd ones, each with just as many turns
// as it needs. The top is reached, and the assertion fails, only if the threads alternate d times
// and waste no turn.
// arguments: 1
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<int> step = 0;

void climb(int parity, int turns, int top) {
  for (int turn = 0; turn < turns; ++turn) {
    const int now = step;
    if (now % 2 != parity) continue;
    assert(now + 1 < top);  // <- bug: fails
    step = now + 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int alternations = argc > 1 ? std::atoi(argv[1]) : 1;
  const int top = alternations + 1;
  std::thread even(climb, 0, (top + 1) / 2, top);
  std::thread odd(climb, 1, top / 2, top);
  even.join();
  odd.join();
  return 0;
}
