// Captured loop variable, fixed: each thread has a copy. The bug twin is
// bug/data-race/loop_variable.cc.
#include <cassert>
#include <thread>
#include <vector>

namespace {

int results[2] = {0, 0};

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([i] { results[i] = i + 1; });
  for (std::thread& thread : threads) thread.join();
  assert(results[0] == 1 && results[1] == 2);
  return 0;
}
