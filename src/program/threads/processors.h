// The processors of the machine that a program under control sees: a fixed number of them, and on
// which of them each task may run. All ways to ask for them agree. No task ever moves: it runs on
// the first one that it may use.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "threads/task.h"

namespace ricercar::inline threads {

// Whether the caller sees that machine: a controlled task, or the program before main.
bool sees_fixed_machine();

int processor_of(const Task& task);

// As the kernel's sched_setaffinity and sched_getaffinity: what they return, or a negative error
// number. `thread` 0: the running one.
long set_processors(pid_t thread, const void* set, std::size_t size);
long get_processors(pid_t thread, void* set, std::size_t size);
long set_processors(Task& task, const void* set, std::size_t size);
long get_processors(const Task& task, void* set, std::size_t size);

// Which of them a set of the C library names.
ProcessorMask processors_in(const void* set, std::size_t size);

}  // namespace ricercar::inline threads
