// Code that runs on and on without any point is looked at now and then: a loop that waits for a
// plain variable has to let the others run. Counts its plain accesses and says when it is time.
//
// A look takes a small part of the accesses so far and few comparisons, so that code which computes
// pays next to nothing.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ricercar::inline threads {

class LongRun {
 public:
  static constexpr std::uint64_t longest = 1 << 20;     // then the task gives way
  static constexpr std::uint64_t first_look = 1 << 10;  // after so many plain accesses

  // The task has come to a point.
  void restart() {
    count_ = atomics_ = 0;
    next_look_ = first_look;
  }
  void begin_execution() {
    restart();
    look_left_ = 0;
  }

  // Plain ones since the last point.
  std::uint64_t accesses() const { return count_ - atomics_; }
  // One more access. True: it is time to look.
  bool count() { return ++count_ > next_look_; }
  // The same for an atomic access that is no point.
  bool count_atomic() {
    ++atomics_;
    return count();
  }
  // As count, but the access counts only if it is not time yet (then: false).
  bool counts_quietly() {
    if (__builtin_expect(count_ >= next_look_, 0)) return false;
    ++count_;
    return true;
  }
  bool is_too_long() const { return count_ > longest; }

  // An access is looked at. True: with it a look begins.
  bool looks() {
    if (look_left_ != 0) return false;
    look_left_ = count_ / part;
    comparisons_left_ = most_comparisons;
    return true;
  }
  void compares() { --comparisons_left_; }
  // The access was looked at, and shows nothing. True: the look ends.
  bool looked_in_vain() { return --look_left_ == 0 || comparisons_left_ == 0; }
  void end_look() {
    look_left_ = 0;
    next_look_ = std::min(2 * count_, longest);
  }

 private:
  static constexpr std::uint64_t part = 16;
  static constexpr std::uint32_t most_comparisons = 16;

  std::uint64_t count_ = 0;
  std::uint64_t atomics_ = 0;  // of them
  std::uint64_t next_look_ = first_look;
  std::uint64_t look_left_ = 0;  // accesses that are left of a look
  std::uint32_t comparisons_left_ = 0;
};

}  // namespace ricercar::inline threads
