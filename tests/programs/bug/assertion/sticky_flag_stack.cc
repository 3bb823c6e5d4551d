// Sticky flag stack: each push raises a flag that nobody lowers, and the popper pops whenever the
// flag is up. After the first push it may pop more than was pushed.
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
    assert(!stack.empty());  // <- bug: fails
    stack.pop_back();
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
