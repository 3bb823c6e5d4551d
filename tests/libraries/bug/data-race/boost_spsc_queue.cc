// libboost-dev: boost::lockfree::spsc_queue with two producers, which it is not made for.
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

namespace {

boost::lockfree::spsc_queue<int, boost::lockfree::capacity<4>> queue;

void produce(int item) { assert(queue.push(item)); }  // <- bug: writes

}  // namespace

int main() {
  std::thread one(produce, 1);
  std::thread two(produce, 2);
  one.join();
  two.join();
  int item = 0;
  while (queue.pop(item)) assert(item == 1 || item == 2);
  return 0;
}
