// Time as a task meets it: looking at a clock, sleeping, giving way.
//
// A look at a clock is no step of the trace: it takes a moment of virtual time and moves on. A task
// that does nothing but look, or sleep, while nobody else writes anything is in a loop that waits
// for time to pass; time then passes faster and faster, so that the loop ends, and the task gives
// way, so that whoever it may be waiting for runs.
#pragma once

#include <time.h>

#include <cstdint>

#include "model/ids.h"

namespace ricercar::inline threads {

class TimeWatches {
 public:
  // What a task saw when it last looked at a clock or went to sleep.
  struct Watch {
    std::uint64_t execution = 0;  // the rest counts only if this is the running one
    std::uint64_t others = 0;     // how often others had written something
    std::uint64_t own = 0;        // how often the task itself had
    std::uint32_t looks = 0;      // since others wrote something
    std::uint32_t sleeps = 0;
  };
  Watch& of(TaskId task) { return watches_[index(task)]; }
  // Each is brought up to date by the task itself, when it looks.
  void begin_execution() {}

 private:
  Watch watches_[max_tasks];
};

// What time it is now, in virtual nanoseconds.
std::uint64_t look_at_clock(std::uint64_t site);

// As look_at_clock, from a signal handler: nobody else runs now, but who only looks gives way at
// its next point.
std::uint64_t glance_at_clock();

// The same as `clock` shows it.
timespec time_on_clock(clockid_t clock, std::uint64_t site);

// Until the moment has come or, if the schedule wants it so, later. A moment that has passed: gives
// way.
// What is left of it if a signal interrupts it; 0: nothing.
std::uint64_t sleep_until(std::uint64_t moment, std::uint64_t site);
std::uint64_t sleep_for(std::uint64_t nanoseconds, std::uint64_t site);

// The running task lets others run (sched_yield).
void give_way(std::uint64_t site);

}  // namespace ricercar::inline threads
