// Stack overflow in a thread: the depth of a recursion is read after another thread has decreased
// it below zero, and the recursion misses its end.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> depth = 0;
std::atomic<int> result = 0;

int descend(int levels) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(levels);
  if (levels == 0) return 0;
  return descend(levels - 1) + frame[0];
}

void compute() { result = descend(depth); }

void decrease() { --depth; }

}  // namespace

int main() {
  std::thread computer(compute);
  std::thread decreaser(decrease);
  computer.join();
  decreaser.join();
  return 0;
}
