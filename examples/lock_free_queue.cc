// A bounded queue without locks, for one producer and several consumers. Its bug: two consumers can
// take the same item.
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
    const unsigned head = head_.load();
    if (head == tail_.load()) return std::nullopt;
    const int item = items_[head % items_.size()].load();
    head_.store(head + 1);
    return item;
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
