// Choice points: where a world asks the search to decide, and what it may decide.
#pragma once

#include <cstdint>
#include <span>

#include "base/check.h"
#include "model/ids.h"
#include "model/operation.h"
#include "model/task_set.h"
#include "model/trace.h"

namespace ricercar::inline model {

enum class ChoiceKind : std::uint8_t {
  schedule,  // which task performs its pending operation
  value,     // which of n alternatives the running task gets: a waiter to wake, `choose(n)`, ...
};

struct Option {
  TaskId task;
  const Operation* operation;  // what the task would do; owned by the world
  std::uint32_t alternative;   // 0 at schedule points
};

// The enabled options, in ascending order of the task's number. A view: nothing is copied, so that
// a point costs the same with two threads and with five hundred.
class OptionList {
 public:
  // A schedule point: the members of `enabled`, whose operations are `pending[task]`.
  OptionList(const TaskSet* enabled, std::uint32_t size, const Operation* pending)
      : enabled_(enabled), pending_(pending), size_(size) {}
  // A value point: `size` alternatives of `task`.
  OptionList(TaskId task, std::uint32_t size, const Operation* operation)
      : enabled_(nullptr), pending_(operation), size_(size), task_(task) {}

  std::uint32_t size() const { return size_; }
  TaskId task(std::uint32_t i) const { return enabled_ ? enabled_->nth(i) : task_; }
  Option operator[](std::uint32_t i) const {
    RICERCAR_CHECK(i < size_);
    if (!enabled_) return {task_, pending_, i};
    const TaskId chosen = enabled_->nth(i);
    return {chosen, &pending_[index(chosen)], 0};
  }
  bool contains(TaskId task) const { return enabled_ ? enabled_->contains(task) : task == task_; }
  // Schedule points only.
  const TaskSet& tasks() const { return *enabled_; }
  const Operation& operation(TaskId task) const { return pending_[index(task)]; }
  // The tasks with the numbers 0 to 63, as bits. Schedule points only.
  std::uint64_t mask() const { return enabled_->first_word(); }
  // The index of a task's option. Schedule points only; the task must be among the options.
  std::uint32_t position(TaskId task) const { return enabled_->position(task); }

  // Calls visit(Option, index) for every option in order; cheaper than [] in a loop.
  template <typename Visit>
  void for_each(Visit visit) const {
    if (!enabled_) {
      for (std::uint32_t i = 0; i < size_; ++i) visit(Option{task_, pending_, i}, i);
      return;
    }
    std::uint32_t i = 0;
    enabled_->for_each([&](TaskId task) { visit(Option{task, &pending_[index(task)], 0}, i++); });
  }

 private:
  const TaskSet* enabled_;
  const Operation* pending_;
  std::uint32_t size_;
  TaskId task_ = no_task;
};

// The option that lets something go wrong, and how often that may still happen. Who samples spreads
// this over an execution instead of giving it the chance of every other option.
struct FaultOption {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t option = none;
  std::uint32_t left = 0;
  // Then it is asked first which of so many kinds it is, if there are several; `restart` is the one
  // that starts a crashed node again.
  std::uint32_t kinds = 0;
  std::uint32_t restart = none;
};

// Time limits that would pass although others could still do something, and how often one may: they
// are spread in the same way. There is always another option.
struct EarlyOptions {
  const TaskSet* tasks = nullptr;  // nullptr: there are none
  std::uint32_t left = 0;
};

// Where a task is, in a world of several nodes: a thread at one of them, a message on its way from
// one to another.
struct TaskPlace {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::uint32_t from = nowhere;
  std::uint32_t to = nowhere;

  bool operator==(const TaskPlace&) const = default;
};

struct ChoicePoint {
  ChoiceKind kind;
  std::uint64_t step;  // the index in the trace of the step that the choice will become
  // The task that performed the last step, if it could perform the next one too (it is among the
  // options and did not yield); otherwise no_task. Choosing another task than this is a preemption.
  TaskId running;
  OptionList options;   // at least two; a world does not ask where there is nothing to decide
  Trace trace = {};     // what has happened so far; valid during the call
  HeapTrace heap = {};  // and to the heap, if the strategy WantsHeap
  FaultOption fault = {};
  EarlyOptions early = {};
  std::span<const TaskPlace> places = {};       // by task; empty: this world has one place only
  std::span<const std::uint32_t> targets = {};  // by alternative: the node that it is about
};

}  // namespace ricercar::inline model
