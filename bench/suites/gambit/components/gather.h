// The coordination runtime's gather: a receiver of several items, whose handler runs once with all
// of them. Any number of threads may post.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace gambit {

enum class GatherBug {
  none,
  // An item is counted before it is stored. The poster that counts the last item calls the handler,
  // which finds a hole where another poster has counted and not yet stored.
  count_before_store,
};

class Gather {
 public:
  using Handler = std::function<void(const std::vector<int>&)>;

  // No item is 0.
  Gather(std::size_t size, GatherBug bug, Handler handler)
      : bug_(bug), handler_(std::move(handler)), items_(size) {}

  void post(int item) {
    const std::size_t place = reserved_++;
    if (bug_ == GatherBug::count_before_store) {
      const bool last = count();
      store(place, item);
      if (last) complete();
    } else {
      store(place, item);
      if (count()) complete();
    }
  }

 private:
  void store(std::size_t place, int item) {
    const std::lock_guard lock(mutex_);
    items_[place] = item;
  }

  // True for the last item.
  bool count() { return ++counted_ == items_.size(); }

  void complete() {
    std::vector<int> items;
    {
      const std::lock_guard lock(mutex_);
      items = items_;
    }
    handler_(items);
  }

  const GatherBug bug_;
  const Handler handler_;
  std::atomic<std::size_t> reserved_ = 0;
  std::atomic<std::size_t> counted_ = 0;
  std::mutex mutex_;
  std::vector<int> items_;
};

}  // namespace gambit
