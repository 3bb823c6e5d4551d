// A recording: everything about one replayed execution that a report may want to say, without
// names. The worker writes it into the search's shared memory, the tool reads it there and adds
// symbols and source lines. Plain data with pointers into the shared mapping, which both map at one
// address.
#pragma once

#include <cstdint>

#include "model/ids.h"
#include "model/machine_story.h"
#include "model/operation.h"
#include "model/outcome.h"
#include "model/trace.h"
#include "model/worlds.h"

namespace ricercar::inline model {

template <typename T>
struct Array {
  T* data = nullptr;
  std::uint64_t size = 0;

  T* begin() const { return data; }
  T* end() const { return data + size; }
  T& operator[](std::uint64_t i) const { return data[i]; }
};

// A frame of call stacks. Stacks share what they have in common: a frame knows its caller.
struct RecordedFrame {
  std::uint64_t place;  // the return address
  // Its canonical frame address (the stack pointer before its function was called), by which local
  // variables are found; 0: unknown.
  std::uint64_t frame_address;
  std::uint32_t outer;  // the index of its caller; of the outermost one it means nothing
  std::uint32_t depth;  // how many there are from here outwards

  bool is(const RecordedFrame& other) const {
    return place == other.place && frame_address == other.frame_address && depth == other.depth &&
           (depth == 1 || outer == other.outer);
  }
};

// A call stack: `size` frames, from the innermost one on, which is at that index in
// Recording::frames.
struct StackRef {
  std::uint32_t innermost = 0;
  std::uint32_t size = 0;
};

// A step of the trace, or a plain memory access between two steps (then step.options is 0 and
// `step_index` is that of the step that it follows).
struct RecordedEvent {
  static constexpr std::uint8_t no_order = 0xff;

  Step step;
  std::uint64_t step_index;
  StackRef stack;
  std::uint8_t order = no_order;  // of an atomic: the number of __ATOMIC_RELAXED and so on
};

struct RecordedTask {
  TaskId id;
  TaskId creator;
  bool ended;
  bool detached;
  std::uint64_t start_routine;  // the address of its function; 0 for the main thread
  std::uint64_t stack_low;      // its stack: [stack_low, stack_high)
  std::uint64_t stack_high;
  char name[32];      // pthread_setname_np, or empty
  StackRef stack;     // where it was when the execution ended
  StackRef creation;  // where it was created
  // What it waits for when it is blocked at the end; `blocked` is false for a task that could run.
  bool blocked;
  Operation waiting;
};

// What a step was, where its kind and its object do not tell it: a call to the file system.
struct RecordedCall {
  std::uint64_t step_index;
  char words[160];
};

// Who holds what at the end of the execution (mutexes, reader-writer locks).
struct RecordedHold {
  std::uint64_t object;
  TaskId task;
  StackRef stack;  // where it was taken
};

struct RecordedAllocation {
  std::uint64_t address;
  std::uint64_t size;
  TaskId task;      // no_task: allocated before the execution began
  TaskId freed_by;  // no_task: still allocated
  StackRef stack;
  StackRef freed_stack;
};

struct RecordedModule {
  char path[512];
  std::uint64_t base;  // the load bias: run-time address minus the address in the file
  std::uint64_t low;   // [low, high): where its segments are mapped
  std::uint64_t high;
};

// An Outcome as plain data, with the stacks of both sides.
struct RecordedOutcome {
  OutcomeKind kind;
  TaskId task;
  TaskId other_task;
  bool is_write;
  bool other_is_write;
  std::int32_t number;
  std::uint64_t site;
  std::uint64_t object;
  std::uint64_t other_site;
  StackRef stack;
  StackRef other_stack;
  char message[1024];
};

// Where a replay left the recorded schedule. `expected` and `found` say it without names; the
// operations, as far as they are known, are for who has symbols.
struct RecordedDivergence {
  static constexpr std::uint32_t most_options = 8;

  bool diverged;
  std::uint64_t step;
  char expected[256];
  char found[256];
  bool knows_expected;  // the schedule says what was done at this step
  TaskOperation expected_option;
  std::uint32_t found_count;  // how many there were; the first ones follow
  TaskOperation found_options[most_options];
};

// Which plain accesses of an execution are recorded, by their numbers, counted from 1. A recording
// holds the last ones, but which they are is known at the end only: of a long execution a first
// recording finds out, for the next one.
struct RecordedPart {
  std::uint64_t first = 0;   // this and those after it; 0: not known yet
  std::uint64_t wanted = 0;  // the stack of this one, too; 0: none
};

// Where the search had a choice: the step that it became, and the options that there were, as a
// part of Recording::options. Which alternative a value is has no operation of its own.
struct RecordedChoice {
  std::uint64_t step;
  std::uint32_t chosen;
  std::uint32_t first;
  std::uint32_t count;
  bool is_value;
};

struct Recording {
  static constexpr std::size_t most_accesses = 200000;  // plain ones; the last are kept

  WorldKind world;
  RecordedOutcome outcome;
  RecordedDivergence divergence;
  std::uint64_t trace_hash;  // over the tasks, kinds, objects, sites and values of all steps
  std::uint64_t steps;       // how many steps the execution had; events may hold fewer
  bool truncated;            // there were more events than a recording holds: the first are missing
  RecordedPart next_part;    // not 0: the execution was too long, and this has to be recorded
  // A livelock: the last events repeat with this period (0: unknown).
  std::uint64_t period;
  Array<RecordedEvent> events;
  Array<RecordedFrame> frames;
  Array<RecordedTask> tasks;
  Array<RecordedHold> holds;
  Array<RecordedAllocation> allocations;
  Array<RecordedModule> modules;
  Array<RecordedCall> calls;  // in the order of the steps
  // What could be decided, if that was asked for (Request::goes_on).
  Array<RecordedChoice> choices;
  Array<TaskOperation> options;
  // Told::in_own_words: what happened, and what every task was at the end.
  Array<RecordedAct> acts;
  Array<RecordedMachine> machines;
  // What machines were in between, in the order of the acts.
  Array<RecordedCondition> conditions;
  // Nodes: their properties, and what these said whenever they could be judged.
  Array<RecordedProperty> properties;
  Array<RecordedCheck> checks;
  // And the blocks of code that they ran through.
  Array<RecordedBlock> blocks;

  // Innermost first.
  template <typename Function>
  void for_each_frame(const StackRef& stack, Function function) const {
    std::uint32_t at = stack.innermost;
    for (std::uint32_t i = 0; i < stack.size; ++i, at = frames[at].outer) function(frames[at]);
  }
};

}  // namespace ricercar::inline model
