// A recursion of 4 MiB in each of two threads, which the default stack of 8 MiB holds. The bug twin
// is bug/crash/stack_overflow.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int total = 0;

// A frame uses the one before, so that no compiler turns the recursion into a loop.
int descend(int levels, const volatile char* before) {
  volatile char frame[4096];
  frame[0] = *before;
  if (levels == 0) return 0;
  return descend(levels - 1, frame) + frame[0];
}

void compute() {
  const volatile char first = 1;
  const int depth = descend(1000, &first);
  std::lock_guard guard(mutex);
  total += depth;
}

}  // namespace

int main() {
  std::thread one(compute);
  std::thread two(compute);
  one.join();
  two.join();
  assert(total == 2000);
  return 0;
}
