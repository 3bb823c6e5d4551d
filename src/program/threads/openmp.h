// OpenMP: what the runtime libraries of the compilers (libgomp, libomp) order, for the race
// detector. They synchronise with atomics of their own, which nobody sees.
//
// Each place where threads meet is one object for the whole program: an order too many where
// regions are nested may hide a race, and never shows one that is none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/ids.h"

namespace ricercar::openmp {

enum class Meeting : std::uint8_t {
  region_begin,  // from the thread that opens a parallel region to its team
  region_end,    // from the team to it
  barrier,
  task_begin,  // from the thread that creates tasks to who runs them
  task_end,    // from them to who waits for them
  ordered,
  critical,
};

// What the running task did before happens before what others do after they have arrived. Nothing
// if it is not under control.
void leave_for(Meeting meeting);
void arrive_at(Meeting meeting);

// Locks, by their address.
void locked(const void* lock);
void unlocking(const void* lock);

// --- Functions that the compiler has cut out of the program for libgomp to call ---

enum class Outlined : std::uint8_t { region, task, dependent_task };

using OutlinedFunction = void (*)(void*);
using CopyFunction = void (*)(void*, void*);

// Those of one program that were called so far; libgomp may keep them over executions.
struct Functions {
  static constexpr std::size_t most = 512;

  struct Wrapped {
    OutlinedFunction function = nullptr;
    Outlined kind = Outlined::region;
  };
  // What libgomp is to copy for a task that the running one creates.
  struct Arguments {
    CopyFunction copy = nullptr;
    long size = 0;
  };

  Wrapped wrapped[most] = {};
  std::size_t count = 0;
  Arguments arguments_of[max_tasks] = {};  // by the task that creates another
};

// A function that does the same, and arrives and leaves as it should.
OutlinedFunction wrap(OutlinedFunction function, Outlined kind);

}  // namespace ricercar::openmp
