// Lost update, fixed: every read and write of the counter is one critical section. The bug twin is
// bug/assertion/lost_update.cc.
// arguments: 2
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
int counter = 0;

void increment() {
  std::lock_guard guard(mutex);
  const int seen = counter;
  counter = seen + 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(increment);
  for (std::thread& thread : threads) thread.join();
  assert(counter == count);
  return 0;
}
