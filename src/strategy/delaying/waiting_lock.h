// A lock with a wait, made of system calls: strategies are part of a runtime in which the
// functions of the thread library belong to the program under test.
#pragma once

#include <linux/futex.h>

#include <atomic>
#include <cstdint>

#include "base/system_call.h"

namespace ricercar::inline strategy {

class WaitingLock {
 public:
  // For std::lock_guard.
  void lock() {
    std::uint32_t state = 0;
    if (state_.compare_exchange_strong(state, 1, std::memory_order_acquire)) return;
    while (state_.exchange(2, std::memory_order_acquire) != 0) futex(state_, FUTEX_WAIT_PRIVATE, 2);
  }
  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == 2) futex(state_, FUTEX_WAKE_PRIVATE, 1);
  }
  // Held before and afterwards, but not meanwhile: comes back after the next notify_all(), or
  // without a reason.
  void wait() {
    const std::uint32_t events = events_.load(std::memory_order_relaxed);
    ++waiting_;
    unlock();
    futex(events_, FUTEX_WAIT_PRIVATE, events);
    lock();
    --waiting_;
  }
  // While it is held.
  void notify_all() {
    if (waiting_ == 0) return;
    events_.fetch_add(1, std::memory_order_relaxed);
    futex(events_, FUTEX_WAKE_PRIVATE, 1 << 30);
  }

 private:
  static void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    system_call(SYS_futex, as_argument(&word), operation, static_cast<long>(value));
  }

  std::atomic<std::uint32_t> state_ = 0;  // 1: held, 2: held and waited for
  std::atomic<std::uint32_t> events_ = 0;
  std::uint32_t waiting_ = 0;
};

}  // namespace ricercar::inline strategy
