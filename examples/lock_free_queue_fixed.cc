// The queue of lock_free_queue.cc, repaired: a consumer owns an item only once it has moved the
// head.
#include <array>
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

class Queue {
 public:
  void push(int item) {
    const unsigned tail = tail_.load();
    items_[tail % items_.size()].store(item);
    tail_.store(tail + 1);
  }

  std::optional<int> pop() {
    unsigned head = head_.load();
    while (head != tail_.load()) {
      const int item = items_[head % items_.size()].load();
      if (head_.compare_exchange_weak(head, head + 1)) return item;
    }
    return std::nullopt;
  }

 private:
  std::array<std::atomic<int>, 4> items_ = {};
  std::atomic<unsigned> head_ = 0, tail_ = 0;
};

int main() {
  Queue queue;
  queue.push(1);
  queue.push(2);
  std::optional<int> first, second;
  std::thread other([&] { first = queue.pop(); });
  second = queue.pop();
  other.join();
  assert(first != second);
}
