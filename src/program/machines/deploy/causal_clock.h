// A clock that respects causes: what could have caused something has an earlier time, on whatever
// node it happened (Lamport, 1978). It follows the wall clock where it can, so that the times of
// nodes that do not talk to each other can be compared nearly as well (hybrid logical clocks:
// Kulkarni et al., 2014). One number holds both: nanoseconds since 1970, pushed ahead by causes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace ricercar::deploy {

class CausalClock {
 public:
  // A time later than all before. Thread-safe.
  std::uint64_t tick() { return advance_beyond(0); }
  // The same, and later than a time that came with a message.
  std::uint64_t advance_beyond(std::uint64_t other) {
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t wall = wall_time();
      const std::uint64_t seen = last > other ? last : other;
      const std::uint64_t next = wall > seen ? wall : seen + 1;
      if (last_.compare_exchange_weak(last, next, std::memory_order_acq_rel)) return next;
    }
  }

 private:
  static std::uint64_t wall_time() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }

  std::atomic<std::uint64_t> last_ = 0;
};

}  // namespace ricercar::deploy
