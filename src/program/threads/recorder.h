// Records one execution in detail for a report: every step and the plain accesses with their call
// stacks, who holds what and who waits at the end. Used for replays only.
//
// What cannot be told afterwards is limited, so that a long execution can be recorded too: of the
// steps and of the plain accesses the last ones are kept, of the accesses before the first thread
// was created the first ones. Nothing of that start can race, and it may be long.
//
// To record an access costs several times what it takes. When there are many more than are kept,
// the others are only counted, and a second recording leaves out all that would not be kept
// (RecordedPart).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/large_pages.h"
#include "model/recording.h"
#include "threads/call_stacks.h"

namespace ricercar::inline threads {

class Execution;
struct Task;

// The program and its libraries, where they are loaded.
std::vector<RecordedModule> loaded_modules();

// The last events of an execution, as many as there is room for. An event stays where it is while
// it is kept.
class LastEvents {
 public:
  // Memory that is not used costs nothing.
  explicit LastEvents(std::size_t most) : most_(most) {
    slots_.reserve(most);
    use_large_pages(slots_.data(), most * sizeof(RecordedEvent));
  }

  // One more, to be filled in. The oldest one goes if there is no room.
  RecordedEvent& add() {
    if (count_ == most_) {
      first_ = position(1);
      --count_;
      has_dropped_ = true;
    }
    const std::size_t at = position(count_++);
    if (at == slots_.size()) slots_.emplace_back();
    return slots_[at];
  }
  void drop_last() { --count_; }

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  bool has_dropped() const { return has_dropped_; }
  // The oldest one is the first.
  RecordedEvent& operator[](std::size_t i) { return slots_[position(i)]; }
  const RecordedEvent& operator[](std::size_t i) const { return slots_[position(i)]; }
  RecordedEvent& back() { return (*this)[count_ - 1]; }

 private:
  std::size_t position(std::size_t i) const {
    const std::size_t at = first_ + i;
    return at < most_ ? at : at - most_;
  }

  std::size_t most_;
  std::vector<RecordedEvent> slots_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool has_dropped_ = false;
};

class Recorder {
 public:
  explicit Recorder(const RecordedPart& part = {}) : part_(part) {}

  // The running task announces its next operation: where it is now is where the operation is.
  void announce(Execution& execution, std::uint64_t site);
  // The last step of the trace was written.
  void step_happened(Execution& execution);
  // The functions below come before the access that they are about is checked for races. They give
  // it a number, by which the stack of an earlier access is found when a later one races with it.
  CallStacks::Number plain_access(Execution& execution, std::uint64_t address, std::uint32_t size,
                                  bool is_write, std::uint64_t site);
  CallStacks::Number atomic_access(Execution& execution, std::uint8_t order, std::uint64_t site);
  CallStacks::Number heap_event(Execution& execution, bool allocated, std::uint64_t address,
                                std::uint64_t size, std::uint64_t site);
  CallStacks::Number place(TaskId task, std::uint64_t site) { return stacks_.current(task, site); }
  // The running task has called a function that has got as far as `frame`.
  void function_entered(Execution& execution, const MachineFrame& frame);
  void execution_ended(Execution& execution, const Outcome& outcome);

  // Ends the execution so after this many steps, because the process would be gone otherwise
  // before anything could be told.
  void end_after(std::uint64_t steps, Outcome outcome);

  // What the last step was, in words.
  void name_step(Execution& execution, const std::string& words);

  // After an execution that ended well: a thread that nobody joined.
  void note_leak(const Outcome& leak);

  // Everything, in the shared heap of the search.
  Recording* finish(Execution& execution);

 private:
  static constexpr std::size_t most_accesses = Recording::most_accesses;
  static constexpr std::size_t most_steps = 1000000;
  static constexpr std::uint64_t most_accesses_of_the_start = 2000;
  // So many are recorded of an execution of which it is not known how long it is.
  static constexpr std::uint64_t most_accesses_at_first = 2 * most_accesses;
  // Marks the number of an access that has no stack.
  static constexpr std::uint64_t number_of_access = std::uint64_t{1} << 63U;

  using Stack = CallStacks::Number;

  bool is_recorded(std::uint64_t access);
  Stack step_access(Execution& execution, std::uint64_t address, std::uint32_t size, bool is_write,
                    std::uint64_t site);
  RecordedPart next_part(const Execution& execution) const;
  RecordedEvent& add(LastEvents& to);
  void add_access(Execution& execution, const Operation& operation, std::uint64_t value,
                  Stack stack);
  void settle_write();
  void note_other_access(std::uint64_t event);
  Stack& stack_of(TaskId task);
  void note_free(Execution& execution, std::uint64_t address, std::uint64_t site, Stack stack);
  void add_older_block(std::uint64_t address, std::uint64_t size);
  void note_older_blocks(Array<RecordedEvent> events);
  void drop_last_access(const Outcome& outcome, std::uint64_t step_index);
  void take_values(Trace trace);
  Array<RecordedEvent> all_events() const;
  void end_if_last(Execution& execution, const Step& step);
  void note_end(Execution& execution, Recording& recording);
  void note_holds(Execution& execution, Recording& recording);
  StackRef where_taken(const Execution& x, std::uint64_t object, TaskId task) const;
  StackRef where_destroyed(std::uint64_t object) const;

  CallStacks stacks_;
  LastEvents steps_{most_steps};
  LastEvents accesses_{most_accesses};  // plain ones that are no steps, and frees
  std::uint64_t accesses_of_the_start_ = 0;
  RecordedPart part_;
  std::uint64_t recorded_ = 0;       // plain accesses after the start
  std::uint64_t left_out_ = 0;       // those that are not in this part
  std::uint64_t racing_access_ = 0;  // the earlier one of a race, if it has no stack
  Step* unsettled_ = nullptr;        // a write that has not happened yet, the last event
  std::vector<Stack> task_stacks_;   // where each task announced its operation
  std::vector<StackRef> creations_;
  std::vector<RecordedAllocation> allocations_;
  std::unordered_map<std::uint64_t, std::size_t> allocation_at_;
  std::vector<RecordedCall> calls_;
  RecordedOutcome outcome_ = {};
  std::uint64_t last_step_ = ~std::uint64_t{0};  // see end_after
  Outcome end_;
};

}  // namespace ricercar::inline threads
