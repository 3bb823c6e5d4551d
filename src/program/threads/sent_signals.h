// Signals of the program that were sent and have not arrived yet: see threads/signals.h.
#pragma once

#include <cstdint>

#include "threads/task.h"

namespace ricercar::inline threads {

inline constexpr int signal_count = 65;

struct SignalsOnTheirWay {
  struct Signal {
    TaskId target = no_task;
    SentSignal signal;
    std::uint64_t site = 0;
  };

  void begin_execution();

  Signal carried_by[max_tasks];         // what a task that stands for one has to do, by its number
  TaskId waits_for[signal_count] = {};  // whom a blocked one is for in the kernel; no_task: anybody
  bool had_handlers = false;            // the program, before the first execution
};

}  // namespace ricercar::inline threads
