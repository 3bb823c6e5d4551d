// libboost-dev: boost::lockfree::spsc_queue, smaller than what passes through it. One producer and
// one consumer; the items arrive in their order.
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

namespace {

constexpr int items = 4;

boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;

void produce() {
  for (int i = 0; i < items; ++i) {
    while (!queue.push(i)) std::this_thread::yield();
  }
}

void consume() {
  for (int i = 0; i < items; ++i) {
    int item = 0;
    while (!queue.pop(item)) std::this_thread::yield();
    assert(item == i);
  }
}

}  // namespace

int main() {
  std::thread producer(produce);
  std::thread consumer(consume);
  producer.join();
  consumer.join();
  return 0;
}
