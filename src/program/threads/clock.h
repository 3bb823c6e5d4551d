// Virtual time. It moves only when the schedule moves it: a sleep that is chosen takes it to its
// deadline, and looking at a clock takes a moment, more and more of one while a task does nothing
// but look, so that a loop that waits for the time to pass ends.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>

namespace ricercar::inline threads {

class VirtualClock {
 public:
  static constexpr std::uint64_t second = 1'000'000'000;

  void begin_execution() {
    now_ = start;
    tick_ = first_tick;
    least_tick_ = 0;
    ++execution_;
  }
  // Counts the executions: what belongs to another one is out of date.
  std::uint64_t execution() const { return execution_; }
  std::uint64_t now() const { return now_; }
  void advance_to(std::uint64_t moment) {
    if (moment > now_) now_ = moment;
  }
  // Somebody else did something since the last look: the task that looks does not wait for time.
  void something_happened() { tick_ = first_tick; }
  // The task that looks did something itself, as in a loop that works until its time is over.
  void work_was_done() {
    if (tick_ > longest_work_tick) tick_ = longest_work_tick;
  }
  // From now on every look takes at least so long.
  void hurry(std::uint64_t nanoseconds) { least_tick_ = nanoseconds; }
  std::uint64_t look() {
    now_ += std::max(tick_, least_tick_);
    if (tick_ < second) tick_ *= 2;
    return now_;
  }

  // Conversion between the one virtual time line and the clocks of the C library.
  static bool is_real_time(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  }
  static std::uint64_t to_clock(clockid_t clock, std::uint64_t moment) {
    return is_real_time(clock) ? moment + epoch_ : moment;
  }
  // The moment at which `clock` shows `time`; never before the start.
  static std::uint64_t from_clock(clockid_t clock, const timespec& time) {
    if (time.tv_sec < 0) return 0;
    const std::uint64_t shown = to_nanoseconds(time);
    if (!is_real_time(clock)) return shown;
    return shown > epoch_ ? shown - epoch_ : 0;
  }
  // The date is wrong by so much: the other clocks, and who waits already, do not notice.
  static void set_skew(std::int64_t nanoseconds) {
    epoch_ = epoch + static_cast<std::uint64_t>(nanoseconds);
  }
  static std::uint64_t to_nanoseconds(const timespec& time) {
    constexpr std::uint64_t forever = std::uint64_t{1} << 62;
    const auto seconds = static_cast<std::uint64_t>(time.tv_sec);
    if (seconds > forever / second) return forever;
    return seconds * second + static_cast<std::uint64_t>(time.tv_nsec);
  }
  static timespec to_timespec(std::uint64_t nanoseconds) {
    return {static_cast<time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
  }

 private:
  static constexpr std::uint64_t start = 1000 * second;           // as if up for a while
  static constexpr std::uint64_t epoch = 1'750'000'000 * second;  // a fixed day in 2025
  static constexpr std::uint64_t first_tick = 1000;
  static constexpr std::uint64_t longest_work_tick = second / 100;

  static inline std::uint64_t epoch_ = epoch;
  std::uint64_t now_ = start;
  std::uint64_t tick_ = first_tick;
  std::uint64_t least_tick_ = 0;
  std::uint64_t execution_ = 0;
};

}  // namespace ricercar::inline threads
