// Lost update: threads read a plain counter and write it back increased by one; two that read the
// same value lose an increment.
// options: --points memory --no-races
// arguments: 2
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

int counter = 0;

void increment() {
  const int seen = counter;
  counter = seen + 1;  // <- why: writes
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(increment);
  for (std::thread& thread : threads) thread.join();
  assert(counter == count);  // <- bug: fails
  return 0;
}
