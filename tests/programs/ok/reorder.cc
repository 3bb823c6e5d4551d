// Reorder, fixed: setters write both variables, and checkers read both, under one mutex, so that no
// checker sees half of a write. The bug twin is bug/assertion/reorder.cc.
// arguments: 2 1
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
int a = 0;
int b = 0;

void set() {
  std::lock_guard guard(mutex);
  a = 1;
  b = -1;
}

void check() {
  std::lock_guard guard(mutex);
  assert((a == 0 && b == 0) || (a == 1 && b == -1));
}

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
