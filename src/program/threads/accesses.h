// What an execution knows of accesses to memory: which of them matter and to whom, and what they
// have shown so far.
//
// Needs no process. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "detect/data_race.h"
#include "model/open_trace.h"
#include "threads/heap_uses.h"
#include "threads/long_run.h"
#include "threads/scheduler.h"
#include "threads/sharing.h"

namespace ricercar::inline threads {

struct Accesses {
  // Hot: touched at every access.
  LongRun long_run;  // of the running task
  // A number for the access that happens now: that of the recorder, or where the running task was
  // called from, if that is noted.
  std::uint64_t event = 0;
  bool last_is_point = false;  // of the plain ones
  bool may_be_points = false;  // some plain ones are
  // Plain accesses are no points, and nobody but the detectors wants to know of them.
  bool are_quiet = false;
  // Somebody wants to know of every plain one.
  bool are_watched = false;
  // Whether a plain access can be part of a race. What happens before a second task is created, or
  // after all others were joined, is ordered with everything: it need not even be noted.
  bool may_race = false;
  bool left_race = false;     // one was seen on memory whose accesses are no points
  bool notes_blocks = false;  // it is noted which blocks of the heap they use

  RaceDetector race_detector;
  Sharing sharing;
  HeapUses heap_uses;
  HeapMove heap_move;
  std::vector<ContextId> contexts;  // ExecutionOptions::contexts: of each step of the trace

  // The running task has come to a point.
  void point_reached(OpenTrace& trace) {
    trace.plain_accesses += long_run.accesses();
    long_run.restart();
  }
  // So many plain accesses that are no points the execution has made.
  std::uint64_t plain(const OpenTrace& trace) const {
    return trace.plain_accesses + long_run.accesses();
  }

  // The task uses memory, or the running one frees a block. What happens before there is a second
  // task comes before everything that others do.
  void block_used(const Scheduler& scheduler, TaskId task, std::uint64_t address) {
    const StepList& steps = scheduler.steps;
    if (!heap_contains(address) || scheduler.tasks.count() < 2 || !steps.has_slot()) return;
    heap_uses.use(task, address, steps.size() - 1, steps.slot());
  }
  void block_freed(const Scheduler& scheduler, std::uint64_t address) {
    if (!notes_blocks || scheduler.tasks.count() < 2 || !scheduler.steps.has_slot()) return;
    heap_uses.free(scheduler.tasks.current().id, address, scheduler.steps.size() - 1);
  }

  void note_context(std::uint64_t step, ContextId context) {
    if (contexts.size() <= step) contexts.resize(2 * (step + 1));
    contexts[step] = event = context;
  }
};

}  // namespace ricercar::inline threads
