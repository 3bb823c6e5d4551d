#include "search/variant.h"

#include <algorithm>
#include <utility>

namespace ricercar::inline search {
namespace {

std::uint64_t key_of(TaskId task, std::uint32_t steps) {
  return std::uint64_t{index(task)} << 32 | steps;
}

bool is_value(const Step& step) { return (step.flags & step_value) != 0; }

// Nobody else is left: rather something that the program does than something that goes wrong.
TaskId first_but_fault(const ChoicePoint& point) {
  const bool is_fault = point.fault.option == 0;
  return point.options.task(is_fault ? 1 : 0);
}

}  // namespace

Variant variant_of(Trace trace) {
  Variant variant;
  std::vector<std::uint32_t> steps(max_tasks, 0);
  for (const Step& step : trace) {
    std::uint32_t& made = steps[index(step.task)];
    if (is_value(step) && step.value != 0) {
      variant.values.push_back({step.task, made, static_cast<std::uint32_t>(step.value)});
    }
    ++made;
    std::vector<Turn>& turns = variant.turns;
    if (turns.empty() || turns.back().task != step.task) {
      if (!turns.empty()) turns.back().is_preempted = (step.flags & step_preempts) != 0;
      turns.push_back({step.task, 0});
    }
    turns.back().until = made;
  }
  return variant;
}

void VariantFollower::begin(Variant variant) {
  variant_ = std::move(variant);
  values_.clear();
  for (const ValueTaken& value : variant_.values) {
    values_[key_of(value.task, value.steps)] = value.alternative;
  }
  steps_.clear();
  seen_ = first_open_ = 0;
  current_ = none;
}

std::size_t VariantFollower::choose(const ChoicePoint& point) {
  count_steps(point.trace);
  if (point.kind == ChoiceKind::value) return choose_value(point);
  return point.options.position(choose_task(point));
}

void VariantFollower::count_steps(Trace trace) {
  for (; seen_ < trace.size(); ++seen_) {
    const std::uint32_t task = index(trace[seen_].task);
    if (task >= steps_.size()) steps_.resize(task + 1, 0);
    ++steps_[task];
  }
}

std::uint32_t VariantFollower::choose_value(const ChoicePoint& point) const {
  const TaskId task = point.options.task(0);
  const auto found = values_.find(key_of(task, steps_of(task)));
  const bool is_possible = found != values_.end() && found->second < point.options.size();
  return is_possible ? found->second : 0;
}

// Whoever has a turn keeps it; if it cannot go on, it comes back to it when somebody else cannot.
TaskId VariantFollower::choose_task(const ChoicePoint& point) {
  const std::vector<Turn>& turns = variant_.turns;
  const bool keeps =
      current_ < turns.size() && turns[current_].task == point.running && is_open(turns[current_]);
  if (keeps) return point.running;
  while (first_open_ < turns.size() && !is_open(turns[first_open_])) ++first_open_;
  std::size_t next = first_open_;
  if (variant_.moves_on) {
    next = std::max(next, current_ + 1);
    while (next < turns.size() && !can_take(next, point)) ++next;
    if (next >= turns.size()) next = first_open_;
  }
  while (next < turns.size() && !can_take(next, point)) ++next;
  current_ = next < turns.size() ? next : none;
  if (current_ != none) return turns[current_].task;
  return point.running != no_task ? point.running : first_but_fault(point);
}

}  // namespace ricercar::inline search
