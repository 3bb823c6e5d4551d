#include "cluster/hand_over.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "base/system_call.h"

namespace ricercar::inline cluster {

void hand_over(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  word.store(value, std::memory_order_release);
  system_call(SYS_futex, as_argument(&word), FUTEX_WAKE, 1);
}

bool await_turn_or_call(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const std::uint32_t now = word.load(std::memory_order_acquire);
  if (now == value) return true;
  system_call(SYS_futex, as_argument(&word), FUTEX_WAIT, now, 0);
  return word.load(std::memory_order_acquire) == value;
}

void call_waiting(const std::atomic<std::uint32_t>& word) {
  system_call(SYS_futex, as_argument(&word), FUTEX_WAKE, 1);
}

void await_turn(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  for (;;) {
    const std::uint32_t now = word.load(std::memory_order_acquire);
    if (now == value) return;
    system_call(SYS_futex, as_argument(&word), FUTEX_WAIT, now, 0);
  }
}

}  // namespace ricercar::inline cluster
