// Reorder: setters write a = 1 and then b = -1 without a lock; a checker fails if it looks while
// the first setter is between its two writes and no other setter has written b.
// options: --points memory --no-races
// arguments: 2 1
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

// Volatile, so that every access in the text is an access of the program.
volatile int a = 0;
volatile int b = 0;

void set() {
  a = 1;
  b = -1;
}

void check() { assert((a == 0 && b == 0) || (a == 1 && b == -1)); }  // <- bug: fails

}  // namespace

int main(int argc, char** argv) {
  const int setters = argc > 1 ? std::atoi(argv[1]) : 2;
  const int checkers = argc > 2 ? std::atoi(argv[2]) : 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < setters; ++i) threads.emplace_back(set);
  for (int i = 0; i < checkers; ++i) threads.emplace_back(check);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
