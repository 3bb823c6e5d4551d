// A list with one owner, who adds and takes at its tail, and thieves, who take at its head under a
// lock. The owner takes the lock only for the last item (the protocol of Cilk-5's deques).
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <mutex>
#include <optional>

namespace gambit {

enum class WorkListBug {
  none,
  // The owner reads the head before it lowers the tail. A thief that comes in between takes the
  // last item, and the owner, who does not see it, takes the same one.
  early_head,
};

class WorkList {
 public:
  explicit WorkList(WorkListBug bug) : bug_(bug) {}

  // The owner's.
  void add(int item) {
    const int tail = tail_;
    assert(tail < capacity);
    items_[tail] = item;
    tail_ = tail + 1;
  }

  // The owner's. Nothing: the list is empty.
  std::optional<int> take() {
    const int early_head = head_;
    const int tail = tail_ - 1;
    tail_ = tail;
    const int head = bug_ == WorkListBug::early_head ? early_head : head_.load();
    if (head <= tail) return items_[tail];
    return take_last(tail);
  }

  // A thief's. Nothing: the list is empty, or its owner is about to take the last item.
  std::optional<int> steal() {
    const std::lock_guard lock(mutex_);
    const int head = head_;
    head_ = head + 1;
    if (head < tail_) return items_[head];
    head_ = head;
    return std::nullopt;
  }

 private:
  static constexpr int capacity = 64;

  // With the lock no thief is under way: what the head says is true.
  std::optional<int> take_last(int tail) {
    const std::lock_guard lock(mutex_);
    if (head_ <= tail) return items_[tail];
    tail_ = tail + 1;
    return std::nullopt;
  }

  const WorkListBug bug_;
  std::array<std::atomic<int>, capacity> items_ = {};
  std::atomic<int> head_ = 0;
  std::atomic<int> tail_ = 0;
  std::mutex mutex_;
};

}  // namespace gambit
