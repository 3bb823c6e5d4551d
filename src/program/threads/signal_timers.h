// Timers that send a signal or start a thread (alarm, setitimer, timer_create), in virtual time. A
// timer that runs is a task that sleeps until its moment comes.
//
// A signal that nobody handles would end the process. Such a timer is a safety net of the program
// against hanging, which the search has anyway: when its moment comes, nothing happens.
//
// Belongs to the running execution.
#pragma once

#include <signal.h>
#include <time.h>

#include <cstdint>

#include "threads/task.h"

namespace ricercar::inline threads {

inline constexpr long alarm_timer = 0;  // the one of alarm() and setitimer()

struct TimerSetting {
  std::uint64_t next = 0;  // virtual nanoseconds; 0: it does not run
  std::uint64_t interval = 0;
};

// What a timer does when its moment comes.
struct TimerEvent {
  SentSignal signal;
  TaskId target = no_task;             // no_task: whichever thread lets it through
  void (*function)(sigval) = nullptr;  // not null: it starts a thread instead
};

struct SignalTimers {
  static constexpr long most = 64;

  struct Timer {
    bool used = false;
    clockid_t clock = CLOCK_REALTIME;
    TimerEvent event;
    TimerSetting setting;
    std::uint64_t site = 0;        // where it was set
    std::uint32_t generation = 0;  // how often it was set
    TaskId task = no_task;         // that waits for its moment
  };

  void begin_execution();

  Timer timers[most];
  bool any_used = true;  // the first execution sets them up
};

long make_timer(clockid_t clock, const TimerEvent& event);  // its number, or -EAGAIN
bool is_timer(long number);
clockid_t clock_of_timer(long number);
// Returns what it was set to before.
TimerSetting set_timer(long number, const TimerSetting& setting, std::uint64_t site);
TimerSetting timer_setting(long number);
void delete_timer(long number, std::uint64_t site);

}  // namespace ricercar::inline threads
