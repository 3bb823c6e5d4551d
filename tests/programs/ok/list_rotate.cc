// List rotation, fixed: a rotation is one critical section. The bug twin is
// bug/assertion/list_rotate.cc.
#include <cassert>
#include <list>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::list<int> list = {1, 2, 3};

void rotate() {
  std::lock_guard guard(mutex);
  const int front = list.front();
  list.pop_front();
  list.push_back(front);
}

}  // namespace

int main() {
  std::thread one(rotate);
  std::thread two(rotate);
  one.join();
  two.join();
  assert((list == std::list<int>{3, 1, 2}));
  return 0;
}
