// Stack overflow in a thread: the depth of a recursion is read after another thread has decreased
// it below zero, and the recursion misses its end.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> depth = 0;
std::atomic<int> result = 0;

// A frame uses the one before, so that no compiler turns the recursion into a loop.
int descend(int levels, const volatile char* before) {  // <- bug: fails
  volatile char frame[4096];                            // <- bug: fails
  frame[0] = static_cast<char>(*before + 1);            // <- bug: fails
  if (levels == 0) return frame[0];
  return descend(levels - 1, frame) + frame[0];  // <- bug: fails
}

void compute() {
  const volatile char first = 0;
  result = descend(depth, &first);
}

void decrease() { --depth; }

}  // namespace

int main() {
  std::thread computer(compute);
  std::thread decreaser(decrease);
  computer.join();
  decreaser.join();
  assert(result != 0);
  return 0;
}
