// The coordination runtime's port without a lock: a ring with one poster and any number of
// receivers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

namespace gambit {

enum class RingPortBug {
  none,
  // The position of the next item is kept within the ring instead of growing for ever. A receiver
  // that has read an item and then sleeps while the ring goes round once finds the position as it
  // was, succeeds, and returns the item that another receiver has had long ago; the item that is
  // there now is lost.
  wrapped_position,
};

template <std::size_t capacity>
class RingPort {
 public:
  explicit RingPort(RingPortBug bug)
      : period_(bug == RingPortBug::wrapped_position ? 2 * capacity : 0) {}

  // False: the ring is full.
  bool enqueue(int item) {
    const std::size_t tail = tail_;
    if (distance(head_, tail) == capacity) return false;
    items_[tail % capacity] = item;
    tail_ = next(tail);
    return true;
  }

  // Nothing: the ring is empty.
  std::optional<int> try_dequeue() {
    std::size_t head = head_;
    while (head != tail_) {
      const int item = items_[head % capacity];
      if (head_.compare_exchange_strong(head, next(head))) return item;
    }
    return std::nullopt;
  }

 private:
  std::size_t next(std::size_t position) const { return wrap(position + 1); }

  std::size_t distance(std::size_t from, std::size_t to) const { return wrap(to + period_ - from); }

  std::size_t wrap(std::size_t position) const {
    return period_ == 0 ? position : position % period_;
  }

  const std::size_t period_;  // positions are counted modulo this; 0: not at all
  std::array<std::atomic<int>, capacity> items_ = {};
  std::atomic<std::size_t> head_ = 0;
  std::atomic<std::size_t> tail_ = 0;
};

}  // namespace gambit
