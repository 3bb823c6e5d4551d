// List rotation: each thread moves the first element to the end, in two locked steps. If both take
// an element before either puts one back, the order may change.
#include <cassert>
#include <list>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::list<int> list = {1, 2, 3};

int pop_front() {
  std::lock_guard guard(mutex);
  const int front = list.front();
  list.pop_front();
  return front;
}

void push_back(int value) {
  std::lock_guard guard(mutex);
  list.push_back(value);
}

void rotate() { push_back(pop_front()); }

}  // namespace

int main() {
  std::thread one(rotate);
  std::thread two(rotate);
  one.join();
  two.join();
  assert((list == std::list<int>{3, 1, 2}));  // <- bug: fails
  return 0;
}
