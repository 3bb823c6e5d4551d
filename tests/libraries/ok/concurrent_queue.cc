// libconcurrentqueue-dev: moodycamel::ConcurrentQueue. Two producers and two consumers; every item
// arrives exactly once, and the items of one producer in their order.
#include <concurrentqueue/concurrentqueue.h>

#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr int producers = 2;
constexpr int items = 2;  // of each producer

moodycamel::ConcurrentQueue<int> queue;
std::atomic<int> received = 0;
std::atomic<int> arrivals[producers * items];

void produce(int number) {
  for (int i = 0; i < items; ++i) assert(queue.enqueue(number * items + i));
}

void consume() {
  int last[producers] = {-1, -1};
  while (received < producers * items) {
    int item = 0;
    if (!queue.try_dequeue(item)) {
      std::this_thread::yield();
      continue;
    }
    assert(item > last[item / items]);
    last[item / items] = item;
    ++arrivals[item];
    ++received;
  }
}

}  // namespace

int main() {
  std::thread threads[] = {std::thread(produce, 0), std::thread(produce, 1), std::thread(consume),
                           std::thread(consume)};
  for (std::thread& thread : threads) thread.join();
  for (const std::atomic<int>& arrival : arrivals) assert(arrival == 1);
  int item = 0;
  assert(!queue.try_dequeue(item));
  return 0;
}
