// A bounded collection for producers and consumers, which wait while it is full or empty. After
// `complete_adding` consumers take what is left and then get nothing.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "semaphore.h"

namespace gambit {

enum class BlockingCollectionBug {
  none,
  // A consumer that leaves at the end wakes up the next one only if it sees somebody wait. One that
  // has found the collection open and does not wait yet is overlooked and waits for ever.
  overlooked_consumer,
};

class BlockingCollection {
 public:
  BlockingCollection(int capacity, BlockingCollectionBug bug)
      : bug_(bug), free_(capacity), available_(0) {}

  void add(int item) {
    free_.wait();
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(item);
    }
    available_.release();
  }

  // Nobody adds afterwards. The permit without an item says so to the first consumer that meets it,
  // and goes on from one consumer to the next.
  void complete_adding() {
    complete_ = true;
    available_.release();
  }

  // Nothing: adding is complete and the collection empty.
  std::optional<int> take() {
    if (complete_ && is_empty()) return std::nullopt;
    ++waiting_;
    available_.wait();
    --waiting_;
    const std::optional<int> item = pop();
    if (item) {
      free_.release();
    } else if (bug_ == BlockingCollectionBug::none || waiting_ > 0) {
      available_.release();
    }
    return item;
  }

 private:
  bool is_empty() {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }

  std::optional<int> pop() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const int item = items_.front();
    items_.pop_front();
    return item;
  }

  const BlockingCollectionBug bug_;
  Semaphore free_;
  Semaphore available_;  // a permit for each item, and one more when adding is complete
  std::atomic<int> waiting_ = 0;
  std::atomic<bool> complete_ = false;
  std::mutex mutex_;
  std::deque<int> items_;
};

}  // namespace gambit
