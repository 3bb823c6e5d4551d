// The coordination runtime's causality: all tasks that one task has led to, as one. It is complete
// when the last of them has ended, and it collects the exceptions that they have thrown.
#pragma once

#include <atomic>
#include <stdexcept>
#include <utility>

#include "dispatcher.h"
#include "spin.h"

namespace gambit {

enum class CausalityBug {
  none,
  // A task that ends asks whether it is the last one and leaves afterwards. Two that end at the
  // same time both see the other, none is the last, and the causality is never complete.
  split_leave,
};

class Causality {
 public:
  Causality(Dispatcher& dispatcher, CausalityBug bug) : dispatcher_(dispatcher), bug_(bug) {}

  // Starts the first task; called once, from outside.
  void start(Task task) {
    enter();
    dispatcher_.post([this, task = std::move(task)] { run(task); });
  }

  // The task that calls this leads to another one.
  void spawn(Task task) {
    enter();
    dispatcher_.post_follow_up([this, task = std::move(task)] { run(task); });
  }

  // The causality of the task that calls this.
  static Causality& current() { return *current_; }

  void wait() {
    spin_until([this] { return complete_.load(); });
  }

  int faults() const { return faults_; }

 private:
  void enter() { ++active_; }

  void run(const Task& task) {
    Causality* const outer = std::exchange(current_, this);
    try {
      task();
    } catch (const std::runtime_error&) {
      ++faults_;
    }
    current_ = outer;
    leave();
  }

  void leave() {
    if (bug_ == CausalityBug::split_leave) {
      if (active_ == 1) complete_ = true;
      --active_;
    } else if (--active_ == 0) {
      complete_ = true;
    }
  }

  static inline thread_local Causality* current_ = nullptr;

  Dispatcher& dispatcher_;
  const CausalityBug bug_;
  std::atomic<int> active_ = 0;
  std::atomic<int> faults_ = 0;
  std::atomic<bool> complete_ = false;
};

}  // namespace gambit
