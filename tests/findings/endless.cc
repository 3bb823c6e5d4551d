// Two threads that never end. Given an argument, nothing is wrong with what the second one sees.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> x, y, z;

[[noreturn]] void toggle() {
  while (true) {
    x = 1;
    x = 0;
  }
}

// Its first step has nothing to do with the other thread.
[[noreturn]] void watch(bool is_correct) {
  z = 1;
  while (true) {
    if (x == 1 && !is_correct) y = 1;
    assert(y == 0);
  }
}

}  // namespace

int main(int count, char**) {
  std::thread one(toggle);
  std::thread two(watch, count > 1);
  one.join();
  two.join();
}
