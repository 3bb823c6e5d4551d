// Wrong lock, fixed: all threads increment the value under the same lock. The bug twin is
// bug/assertion/wrong_lock.cc.
// arguments: 3
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
int value = 0;

void increment_and_check() {
  std::lock_guard guard(mutex);
  const int before = value;
  ++value;
  assert(value == before + 1);
}

void increment() {
  std::lock_guard guard(mutex);
  ++value;
}

}  // namespace

int main(int argc, char** argv) {
  const int others = argc > 1 ? std::atoi(argv[1]) : 3;
  std::vector<std::thread> threads;
  threads.emplace_back(increment_and_check);
  for (int i = 0; i < others; ++i) threads.emplace_back(increment);
  for (std::thread& thread : threads) thread.join();
  assert(value == others + 1);
  return 0;
}
