// Timers that are descriptors (timerfd), in virtual time. The descriptor is an eventfd in truth:
// the runtime adds to it when a timer's moment has come, so that reading it and waiting for it work
// as for every other descriptor.
//
// Belongs to the running execution; all state is forgotten when the next one begins.
#pragma once

#include <time.h>

#include <cstdint>
#include <span>

namespace ricercar::inline threads {

inline constexpr std::uint64_t no_timer = ~std::uint64_t{0};

class DescriptorTimers {
 public:
  static constexpr std::uint32_t most = 256;

  struct Timer {
    int number;
    clockid_t clock;
    std::uint64_t moment;    // when it comes next; no_timer: it does not run
    std::uint64_t interval;  // 0: it comes once
  };

  void begin_execution() {
    count_ = 0;
    earliest_ = no_timer;
  }
  bool is_full() const { return count_ == most; }
  std::span<Timer> running() { return {timers_, count_}; }
  Timer* find(int number);
  void add(int number, clockid_t clock);
  void remove(Timer& timer);
  // The earliest moment of all of them.
  std::uint64_t earliest() const { return earliest_; }
  // Some of their moments have changed.
  void refresh();

 private:
  Timer timers_[most] = {};
  std::uint32_t count_ = 0;
  std::uint64_t earliest_ = no_timer;
};

// As the system calls of the same meaning: what they return, or a negative error number.
long timer_create_descriptor(clockid_t clock, int flags, std::uint64_t site);
long timer_set(int number, int flags, const itimerspec* value, itimerspec* old, std::uint64_t site);
long timer_get(int number, itimerspec* value);

// The descriptor is closed, and the timer with it.
void timer_descriptor_closed(int number);
bool is_timer_descriptor(int number);

// The next moment of a timer among the descriptors that `watches` names.
std::uint64_t next_timer_moment(bool (*watches)(void*, int), void* argument);

// Virtual time has moved.
void time_has_moved(std::uint64_t now);
void fire_timers();

}  // namespace ricercar::inline threads
