// Records one execution in detail for a report: every step and every plain access with its call
// stack, who holds what and who waits at the end. Slow; used for replays only.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "model/recording.h"

namespace ricercar {

class Execution;
struct Task;

// The program and its libraries, where they are loaded.
std::vector<RecordedModule> loaded_modules();

class Recorder {
 public:
  // The running task announces its next operation: where it is now is where the operation is.
  void announce(Execution& execution);
  // The last step of the trace was written.
  void step_happened(Execution& execution);
  void plain_access(Execution& execution, std::uint64_t address, std::uint32_t size, bool is_write,
                    std::uint64_t site);
  void heap_event(Execution& execution, bool allocated, std::uint64_t address, std::uint64_t size);
  void execution_ended(Execution& execution, const Outcome& outcome);

  // After an execution that ended well: a thread that nobody joined.
  void note_leak(const Outcome& leak);

  // Everything, in the shared heap of the search.
  Recording* finish(Execution& execution);

 private:
  static constexpr std::size_t max_events = 200000;
  static constexpr std::uint32_t max_frames = 64;

  StackRef current_stack();
  StackRef stack_of_site(std::uint64_t site);
  void add_older_block(std::uint64_t address, std::uint64_t size);
  void note_older_blocks();
  void add(const RecordedEvent& event);
  void settle_write();
  void note_end(Execution& execution, Recording& recording);
  void note_holds(Execution& execution, Recording& recording);
  StackRef where_taken(std::uint64_t object, TaskId task) const;
  StackRef where_destroyed(std::uint64_t object) const;
  StackRef stack_of_event(std::uint64_t event) const;

  std::deque<RecordedEvent> events_;
  std::vector<std::uint64_t> event_numbers_;
  std::uint64_t dropped_ = 0;
  std::vector<std::uint64_t> frames_;
  std::vector<std::uint64_t> frame_addresses_;
  std::map<std::uint64_t, StackRef> known_stacks_;  // by a hash of the frames
  std::vector<StackRef> task_stacks_;               // where each task announced its operation
  std::vector<StackRef> creations_;
  std::vector<RecordedAllocation> allocations_;
  std::map<std::uint64_t, std::size_t> allocation_at_;
  std::map<std::uint64_t, StackRef> access_stacks_;  // by event number
  RecordedOutcome outcome_ = {};
  bool unsettled_ = false;  // the last event is a write that has not happened yet
};

}  // namespace ricercar
