// libconcurrentqueue-dev: moodycamel::BlockingConcurrentQueue. Two producers and two consumers that
// wait for their items; every item arrives exactly once.
#include <concurrentqueue/blockingconcurrentqueue.h>

#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr int items = 2;  // of each producer, and for each consumer

// The queue's semaphore tries a few times before it waits: as often as it does by default would
// only make executions long.
struct Traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const int MAX_SEMA_SPINS = 2;
};

moodycamel::BlockingConcurrentQueue<int, Traits> queue;
std::atomic<int> arrivals[2 * items];

void produce(int number) {
  for (int i = 0; i < items; ++i) assert(queue.enqueue(number * items + i));
}

void consume() {
  for (int i = 0; i < items; ++i) {
    int item = 0;
    queue.wait_dequeue(item);
    ++arrivals[item];
  }
}

}  // namespace

int main() {
  std::thread threads[] = {std::thread(produce, 0), std::thread(produce, 1), std::thread(consume),
                           std::thread(consume)};
  for (std::thread& thread : threads) thread.join();
  for (const std::atomic<int>& arrival : arrivals) assert(arrival == 1);
  return 0;
}
