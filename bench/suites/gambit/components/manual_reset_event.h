// An event that stays set until it is reset. Setting and waiting take no lock as long as nobody has
// to sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace gambit {

enum class ManualResetEventBug {
  none,
  // A thread that is going to sleep looks at the event first and counts itself as a sleeper
  // afterwards. A `set` between the two sees nobody to wake up, and the thread sleeps for ever.
  late_waiter,
};

class ManualResetEvent {
 public:
  explicit ManualResetEvent(ManualResetEventBug bug) : bug_(bug) {}

  void set() {
    set_ = true;
    if (waiters_ == 0) return;
    const std::lock_guard lock(mutex_);
    wake_up_.notify_all();
  }

  // Only while nobody waits.
  void reset() { set_ = false; }

  void wait() {
    if (set_) return;
    std::this_thread::yield();
    if (!set_) sleep();
  }

 private:
  void sleep() {
    std::unique_lock lock(mutex_);
    if (bug_ == ManualResetEventBug::late_waiter) {
      while (!set_) {
        ++waiters_;
        wake_up_.wait(lock);
        --waiters_;
      }
      return;
    }
    ++waiters_;
    while (!set_) wake_up_.wait(lock);
    --waiters_;
  }

  const ManualResetEventBug bug_;
  std::atomic<bool> set_ = false;
  std::atomic<int> waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_up_;
};

}  // namespace gambit
