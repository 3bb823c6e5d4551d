// The coordination runtime's interleave: handlers of a concurrent group, which may run side by
// side, and of an exclusive group, which run alone. A handler that may not run yet keeps its worker
// and tries again.
#pragma once

#include <atomic>
#include <utility>

#include "dispatcher.h"
#include "spin.h"

namespace gambit {

enum class InterleaveBug {
  none,
  // A concurrent handler that ends takes itself off the count by a read and a separate write. Two
  // that end at the same time take off one; the count never comes down to 0, and an exclusive
  // handler tries for ever.
  lost_leave,
};

class Interleave {
 public:
  Interleave(Dispatcher& dispatcher, InterleaveBug bug) : dispatcher_(dispatcher), bug_(bug) {}

  void post_concurrent(Task task) {
    dispatcher_.post_follow_up([this, task = std::move(task)] { run_concurrent(task); });
  }

  void post_exclusive(Task task) {
    dispatcher_.post_follow_up([this, task = std::move(task)] { run_exclusive(task); });
  }

 private:
  static constexpr int exclusive = -1;

  void run_concurrent(const Task& task) {
    spin_until([this] { return enter_concurrent(); });
    task();
    leave_concurrent();
  }

  void run_exclusive(const Task& task) {
    spin_until([this] { return enter_exclusive(); });
    task();
    running_ = 0;
  }

  bool enter_concurrent() {
    int running = running_;
    while (running != exclusive) {
      if (running_.compare_exchange_strong(running, running + 1)) return true;
    }
    return false;
  }

  bool enter_exclusive() {
    int expected = 0;
    return running_.compare_exchange_strong(expected, exclusive);
  }

  void leave_concurrent() {
    if (bug_ == InterleaveBug::lost_leave) {
      const int running = running_;
      running_ = running - 1;
    } else {
      --running_;
    }
  }

  Dispatcher& dispatcher_;
  const InterleaveBug bug_;
  std::atomic<int> running_ = 0;  // concurrent handlers, or `exclusive`
};

}  // namespace gambit
