// Sticky flag stack, fixed: the popper lowers the flag when it takes the last element. The bug twin
// is bug/assertion/sticky_flag_stack.cc.
// arguments: 2
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::vector<int> stack;
bool available = false;

void push_all(int count) {
  for (int i = 0; i < count; ++i) {
    std::lock_guard guard(mutex);
    stack.push_back(i);
    available = true;
  }
}

void pop_all(int count) {
  for (int i = 0; i < count; ++i) {
    std::lock_guard guard(mutex);
    if (!available) continue;
    assert(!stack.empty());
    stack.pop_back();
    available = !stack.empty();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  std::thread pusher(push_all, count);
  std::thread popper(pop_all, count);
  pusher.join();
  popper.join();
  return 0;
}
