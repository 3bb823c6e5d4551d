// If instead of while, fixed: a woken consumer tests again and waits on if another one took the
// item. The bug twin is bug/assertion/if_instead_of_while.cc.
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
    filled.notify_one();
  }
}

void consume() {
  std::unique_lock lock(mutex);
  while (queue.empty()) filled.wait(lock);
  assert(!queue.empty());
  queue.pop_front();
}

}  // namespace

int main() {
  std::thread first(consume);
  std::thread second(consume);
  std::thread producer(produce);
  first.join();
  second.join();
  producer.join();
  assert(queue.empty());
  return 0;
}
