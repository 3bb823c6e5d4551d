// A bag: a list for each thread, and whose own list is empty takes from the others'. Threads are
// numbered from 0, and each uses its own number.
#pragma once

#include <atomic>
#include <list>
#include <optional>

#include "work_list.h"

namespace gambit {

enum class ConcurrentBagBug {
  none,
  // The owner of a list and a thief take the same item: see WorkListBug::early_head.
  early_head,
  // A thread that finds all lists empty, one after the other, believes that the bag is. While it
  // looks at the second list, an item may come to the first and go from the second.
  single_scan,
};

class ConcurrentBag {
 public:
  ConcurrentBag(int threads, ConcurrentBagBug bug) : bug_(bug) {
    const WorkListBug list_bug =
        bug == ConcurrentBagBug::early_head ? WorkListBug::early_head : WorkListBug::none;
    for (int i = 0; i < threads; ++i) lists_.emplace_back(list_bug);
  }

  void add(int thread, int item) {
    list_of(thread).add(item);
    ++additions_;
  }

  // Nothing: the bag was empty at some moment of the call.
  std::optional<int> take(int thread) {
    if (const std::optional<int> item = list_of(thread).take()) return item;
    return steal();
  }

  // As `take`, but prefers the items of other threads.
  std::optional<int> steal() {
    while (true) {
      const int additions = additions_;
      for (WorkList& list : lists_) {
        if (const std::optional<int> item = list.steal()) return item;
      }
      if (bug_ == ConcurrentBagBug::single_scan || additions_ == additions) return std::nullopt;
    }
  }

 private:
  WorkList& list_of(int thread) { return *std::next(lists_.begin(), thread); }

  const ConcurrentBagBug bug_;
  std::list<WorkList> lists_;
  std::atomic<int> additions_ = 0;
};

}  // namespace gambit
