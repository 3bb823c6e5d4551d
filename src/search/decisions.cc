#include "search/decisions.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "base/search_heap.h"
#include "base/text.h"
#include "model/schedule.h"

namespace ricercar::inline search {
namespace {

std::string name_of(TaskId task) { return "T" + std::to_string(index(task)); }

std::string describe(const OptionList& options) {
  std::string text;
  options.for_each([&](const Option& option, std::uint32_t) {
    if (text.size() > 200) return;
    if (!text.empty()) text += ", ";
    text += name_of(option.task) + " " + info(option.operation->kind).words;
  });
  return text;
}

}  // namespace

Decisions decisions_of(Trace trace) {
  Decisions decisions;
  for (const Step& step : trace) {
    if (step.options < 2) continue;
    const bool is_value = (step.flags & step_value) != 0;
    decisions.choices.push_back(
        static_cast<std::uint16_t>(is_value ? step.value : index(step.task)));
    decisions.checks.push_back(decision_check(step.kind, step.task, step.options));
    if (decisions.operations.size() == most_operations_kept) continue;
    decisions.operations.push_back({step.task, {step.object, step.site, step.kind, step.size}});
  }
  return decisions;
}

std::uint64_t ReplayStrategy::find_last_switch(Array<std::uint16_t> choices) {
  std::uint64_t last = choices.size == 0 ? 0 : choices.size - 1;
  while (last > 0 && choices[last] == choices[last - 1]) --last;
  return last;
}

bool ReplayStrategy::begin() {
  next_ = 0;
  divergence_ = {};
  return true;
}

std::size_t ReplayStrategy::choose(const ChoicePoint& point) {
  if (!goes_on_) return choose_as_recorded(point);
  const bool is_over = next_ >= choices_.size;
  const bool can_stay = is_over && point.kind == ChoiceKind::schedule && point.running != no_task;
  const std::size_t chosen = !is_over   ? choose_as_recorded(point)
                             : can_stay ? point.options.position(point.running)
                                        : 0;
  keep(point, chosen);
  return chosen;
}

void ReplayStrategy::keep(const ChoicePoint& point, std::size_t chosen) {
  kept_choices_.push_back({point.step, static_cast<std::uint32_t>(chosen),
                           static_cast<std::uint32_t>(kept_options_.size()), point.options.size(),
                           point.kind == ChoiceKind::value});
  point.options.for_each([&](const Option& option, std::uint32_t) {
    kept_options_.push_back({option.task, *option.operation});
  });
}

void ReplayStrategy::record(Recording& recording) const {
  const SharedAllocation shared;
  recording.choices = {search_allocate_array<RecordedChoice>(kept_choices_.size()),
                       kept_choices_.size()};
  std::copy(kept_choices_.begin(), kept_choices_.end(), recording.choices.data);
  recording.options = {search_allocate_array<TaskOperation>(kept_options_.size()),
                       kept_options_.size()};
  std::copy(kept_options_.begin(), kept_options_.end(), recording.options.data);
}

std::size_t ReplayStrategy::choose_as_recorded(const ChoicePoint& point) {
  if (next_ >= choices_.size) {
    diverge(point, "the end of the recorded schedule", describe(point.options));
  }
  const std::size_t chosen = follow(point, choices_[next_]);
  const Option option = point.options[static_cast<std::uint32_t>(chosen)];
  const std::uint8_t check =
      decision_check(option.operation->kind, option.task, point.options.size());
  if (checks_[next_] != unchecked && check != checks_[next_]) {
    diverge(point, "another operation of " + name_of(option.task) + " or other alternatives",
            describe(point.options));
  }
  if (next_ == last_switch_ && on_last_switch != nullptr) {
    on_last_switch(point.trace.empty() || point.trace.back().task != option.task);
  }
  ++next_;
  return chosen;
}

std::size_t ReplayStrategy::follow(const ChoicePoint& point, std::uint16_t choice) {
  if (point.kind == ChoiceKind::value) {
    if (choice >= point.options.size()) {
      diverge(point, "at least " + std::to_string(choice + 1) + " alternatives",
              std::to_string(point.options.size()));
    }
    return choice;
  }
  if (!point.options.contains(task_id(choice))) {
    diverge(point, name_of(task_id(choice)) + " can run", describe(point.options));
  }
  return point.options.position(task_id(choice));
}

void ReplayStrategy::end(Trace trace, const Outcome&) {
  if (divergence_.diverged || next_ >= choices_.size) return;
  note_divergence(trace.size(),
                  std::to_string(choices_.size - next_) + " more decisions of the schedule",
                  "the end of the execution");
}

void ReplayStrategy::note_divergence(std::uint64_t step, const std::string& expected,
                                     const std::string& found) {
  divergence_.diverged = true;
  divergence_.step = step;
  copy_text(divergence_.expected, expected);
  copy_text(divergence_.found, found);
  divergence_.knows_expected = next_ < operations_.size && next_ < choices_.size;
  if (!divergence_.knows_expected) return;
  divergence_.expected_option = operations_[next_];
}

void ReplayStrategy::diverge(const ChoicePoint& point, const std::string& expected,
                             const std::string& found) {
  note_divergence(point.step, expected, found);
  point.options.for_each([&](const Option& option, std::uint32_t) {
    if (divergence_.found_count < RecordedDivergence::most_options) {
      divergence_.found_options[divergence_.found_count] = {option.task, *option.operation};
    }
    ++divergence_.found_count;
  });
  throw std::runtime_error("the program does not follow the recorded schedule");
}

std::size_t index_of_decision(const ChoicePoint& point, std::uint16_t decision) {
  const bool is_value = point.kind == ChoiceKind::value;
  const bool is_possible =
      is_value ? decision < point.options.size() : point.options.contains(task_id(decision));
  if (!is_possible) throw Nondeterminism(point.step, 0, point.options.size());
  return is_value ? decision : point.options.position(task_id(decision));
}

bool PrefixedStrategy::begin() {
  next_ = 0;
  return rest_->begin();
}

std::size_t PrefixedStrategy::choose(const ChoicePoint& point) {
  if (next_ < prefix_.size()) return index_of_decision(point, prefix_[next_++]);
  return rest_->choose(point);
}

Coverage PrefixedStrategy::coverage() const {
  const Coverage rest = rest_->coverage();
  return {false,
          rest.text + "; all begin with the same " + std::to_string(prefix_.size()) + " decisions"};
}

}  // namespace ricercar::inline search
