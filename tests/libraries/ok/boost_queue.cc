// libboost-dev: boost::lockfree::queue. Two producers and two consumers; every item arrives exactly
// once.
// Its free list reads a node that another thread may have taken and write to: a known data race
// (boostorg/lockfree issues 22 and 78), which a tag makes harmless.
// options: --no-races
#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

namespace {

constexpr int items = 2;  // of each producer, and for each consumer

boost::lockfree::queue<int> queue(2 * items);
std::atomic<int> arrivals[2 * items];

void produce(int number) {
  for (int i = 0; i < items; ++i) assert(queue.push(number * items + i));
}

void consume() {
  for (int i = 0; i < items; ++i) {
    int item = 0;
    while (!queue.pop(item)) std::this_thread::yield();
    ++arrivals[item];
  }
}

}  // namespace

int main() {
  std::thread threads[] = {std::thread(produce, 0), std::thread(produce, 1), std::thread(consume),
                           std::thread(consume)};
  for (std::thread& thread : threads) thread.join();
  for (const std::atomic<int>& arrival : arrivals) assert(arrival == 1);
  assert(queue.empty());
  return 0;
}
