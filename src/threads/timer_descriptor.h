// Timers that are descriptors (timerfd), in virtual time. The descriptor is an eventfd in truth:
// the runtime adds to it when a timer's moment has come, so that reading it and waiting for it work
// as for every other descriptor.
//
// Belongs to the running execution; all state is forgotten when the next one begins.
#pragma once

#include <time.h>

#include <cstdint>

namespace ricercar {

// As the system calls of the same meaning: what they return, or a negative error number.
long timer_create_descriptor(clockid_t clock, int flags, std::uint64_t site);
long timer_set(int number, int flags, const itimerspec* value, itimerspec* old, std::uint64_t site);
long timer_get(int number, itimerspec* value);

// The descriptor is closed, and the timer with it.
void timer_descriptor_closed(int number);
bool is_timer_descriptor(int number);

// The next moment of a timer among the descriptors that `watches` names.
std::uint64_t next_timer_moment(bool (*watches)(void*, int), void* argument);

// The earliest moment of all timers that run.
extern std::uint64_t earliest_timer;
inline constexpr std::uint64_t no_timer = ~std::uint64_t{0};

void timers_begin_execution();
void fire_timers();

// Virtual time has moved.
inline void time_has_moved(std::uint64_t now) {
  if (__builtin_expect(now >= earliest_timer, 0)) fire_timers();
}

}  // namespace ricercar
