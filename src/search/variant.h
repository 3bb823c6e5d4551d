// Variants of an execution: the same program, in about the same order. A variant says in which
// order tasks take turns and how far each of them comes in its turn, counted in its own steps; so
// what it says of one task stays true if another one does something else. Where the program does
// not follow, the variant is followed as far as possible: it is a wish, never an error.
//
// Not thread-safe: the strategy of one search uses it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/choice.h"

namespace ricercar::inline search {

// A task goes on until it has made so many steps in this execution.
struct Turn {
  static constexpr std::uint32_t no_end = ~std::uint32_t{0};  // until it waits or ends

  TaskId task = no_task;
  std::uint32_t until = 0;
  bool is_preempted = false;  // in the execution that it was taken from, it ended by a preemption
  bool operator==(const Turn&) const = default;
};

// An alternative other than the first one, at a value point: of which task, and how many steps it
// had made.
struct ValueTaken {
  TaskId task = no_task;
  std::uint32_t steps = 0;
  std::uint32_t alternative = 0;
  bool operator==(const ValueTaken&) const = default;
};

struct Variant {
  std::vector<Turn> turns;
  std::vector<ValueTaken> values;
  // When the turn of a task is over, or it has to wait, the next turn comes; otherwise the first
  // one that is not over.
  bool moves_on = false;
  bool operator==(const Variant&) const = default;
};

// The variant that is the execution itself.
Variant variant_of(Trace trace);

// Decides at the choice points of one execution.
class VariantFollower {
 public:
  void begin(Variant variant);
  std::size_t choose(const ChoicePoint& point);

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  bool can_take(std::size_t turn, const ChoicePoint& point) const {
    const Turn& wanted = variant_.turns[turn];
    return is_open(wanted) && point.options.contains(wanted.task);
  }
  void count_steps(Trace trace);
  std::uint32_t steps_of(TaskId task) const {
    return index(task) < steps_.size() ? steps_[index(task)] : 0;
  }
  bool is_open(const Turn& turn) const { return steps_of(turn.task) < turn.until; }
  TaskId choose_task(const ChoicePoint& point);
  std::uint32_t choose_value(const ChoicePoint& point) const;

  Variant variant_;
  std::unordered_map<std::uint64_t, std::uint32_t> values_;  // by task and steps
  std::vector<std::uint32_t> steps_;                         // by task
  std::size_t seen_ = 0;                                     // steps of the trace
  std::size_t first_open_ = 0;                               // no turn before this one is
  std::size_t current_ = none;                               // the turn that goes on
};

}  // namespace ricercar::inline search
