// Bounded buffer: producers and consumers wait on one condition variable and wake only one waiter.
// A wake-up that was meant for the other side goes to one's own, and all end up waiting.
// arguments: 2 1 1 2
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::condition_variable changed;
int used = 0;

void put(int capacity) {
  std::unique_lock lock(mutex);
  while (used == capacity) changed.wait(lock);  // <- bug: waits
  ++used;
  changed.notify_one();
}

void take() {
  std::unique_lock lock(mutex);
  while (used == 0) changed.wait(lock);  // <- bug: waits
  --used;
  changed.notify_one();
}

}  // namespace

// The arguments are: producers, consumers, capacity, items of each producer. The consumers share
// the items, so their number must divide producers * items.
int main(int argc, char** argv) {
  const int producers = argc > 1 ? std::atoi(argv[1]) : 2;
  const int consumers = argc > 2 ? std::atoi(argv[2]) : 1;
  const int capacity = argc > 3 ? std::atoi(argv[3]) : 1;
  const int items = argc > 4 ? std::atoi(argv[4]) : 2;
  const int takes = producers * items / consumers;
  std::vector<std::thread> threads;
  for (int i = 0; i < producers; ++i) {
    threads.emplace_back([=] {
      for (int item = 0; item < items; ++item) put(capacity);
    });
  }
  for (int i = 0; i < consumers; ++i) {
    threads.emplace_back([=] {
      for (int item = 0; item < takes; ++item) take();
    });
  }
  for (std::thread& thread : threads) thread.join();  // <- bug: waits
  return 0;
}
