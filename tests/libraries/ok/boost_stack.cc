// libboost-dev: boost::lockfree::stack, whose nodes are used again. Each of two threads pushes and
// pops; every item is popped exactly once.
// Its free list reads a node that another thread may have taken and write to: a known data race
// (boostorg/lockfree issues 22 and 78), which a tag makes harmless.
// options: --no-races
#include <atomic>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

namespace {

constexpr int threads = 2;
constexpr int items = 2;  // of each thread

boost::lockfree::stack<int> stack(threads* items);
std::atomic<int> arrivals[threads * items];

void work(int number) {
  for (int i = 0; i < items; ++i) {
    assert(stack.push(number * items + i));  // <- bug: reads, writes
    int item = 0;
    assert(stack.pop(item));  // <- bug: reads, writes
    ++arrivals[item];
  }
}

}  // namespace

int main() {
  std::thread one(work, 0);
  std::thread two(work, 1);
  one.join();
  two.join();
  for (const std::atomic<int>& arrival : arrivals) assert(arrival == 1);
  assert(stack.empty());
  return 0;
}
