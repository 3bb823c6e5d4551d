// Lost update of an atomic, fixed: the increment is one read-modify-write. The bug twin is
// bug/assertion/lost_update_atomic.cc.
// arguments: 2
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::atomic<int> counter = 0;

void increment() { counter.fetch_add(1); }

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(increment);
  for (std::thread& thread : threads) thread.join();
  assert(counter == count);
  return 0;
}
