// If instead of while: a consumer tests for an empty queue once and trusts its wake-up. A second
// consumer that comes first takes the item, and the woken one pops from an empty queue.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable filled;
std::deque<int> queue;

void produce() {
  for (int item = 0; item < 2; ++item) {
    std::lock_guard guard(mutex);
    queue.push_back(item);
    filled.notify_one();  // <- why: signals
  }
}

void consume() {
  std::unique_lock lock(mutex);
  if (queue.empty()) filled.wait(lock);  // <- why: wakes
  assert(!queue.empty());                // <- bug: fails // <- why: reads
  queue.pop_front();                     // <- why: writes
}

}  // namespace

int main() {
  std::thread first(consume);
  std::thread second(consume);
  std::thread producer(produce);
  first.join();
  second.join();
  producer.join();
  return 0;
}
