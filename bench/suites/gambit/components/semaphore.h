// A counting semaphore that takes no lock as long as nobody has to sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace gambit {

enum class SemaphoreBug {
  none,
  // A permit is looked for and taken in two steps: two threads take the last one.
  split_take,
};

class Semaphore {
 public:
  explicit Semaphore(int permits, SemaphoreBug bug = SemaphoreBug::none)
      : bug_(bug), permits_(permits) {}

  bool try_wait() {
    int permits = permits_;
    if (bug_ == SemaphoreBug::split_take) {
      if (permits <= 0) return false;
      --permits_;
      return true;
    }
    while (permits > 0) {
      if (permits_.compare_exchange_strong(permits, permits - 1)) return true;
    }
    return false;
  }

  void wait() {
    if (try_wait()) return;
    std::unique_lock lock(mutex_);
    ++waiters_;
    while (!try_wait()) released_.wait(lock);
    --waiters_;
  }

  void release() {
    ++permits_;
    if (waiters_ == 0) return;
    const std::lock_guard lock(mutex_);
    released_.notify_one();
  }

  int permits() const { return permits_; }

 private:
  const SemaphoreBug bug_;
  std::atomic<int> permits_;
  std::atomic<int> waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable released_;
};

}  // namespace gambit
