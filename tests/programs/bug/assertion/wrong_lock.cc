// Wrong lock: one thread increments a value under lock X and checks its own increment; the others
// increment it under lock Y. Any increment between the first read and the check shows it.
// options: --points memory --no-races
// arguments: 3
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex x;
std::mutex y;
volatile int value = 0;

void increment_and_check() {
  std::lock_guard guard(x);
  const int before = value;
  value = before + 1;           // <- why: writes
  assert(value == before + 1);  // <- bug: fails // <- why: reads
}

void increment() {
  std::lock_guard guard(y);
  const int before = value;
  value = before + 1;  // <- why: writes
}

}  // namespace

int main(int argc, char** argv) {
  const int others = argc > 1 ? std::atoi(argv[1]) : 3;
  std::vector<std::thread> threads;
  threads.emplace_back(increment_and_check);
  for (int i = 0; i < others; ++i) threads.emplace_back(increment);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
