#include "strategy/execution_races.h"

#include <algorithm>

#include "base/check.h"

namespace ricercar::inline strategy {
namespace {

bool is_blocked(const Step& step) { return (step.flags & step_blocked) != 0; }

// The last slot, which begins at this step, ends the execution.
bool exits(Trace trace, std::size_t start) {
  return std::any_of(trace.begin() + static_cast<std::ptrdiff_t>(start), trace.end(),
                     [](const Step& step) { return step.kind == OperationKind::exit; });
}

// Some of the tasks that were left could have gone on, and nothing that the program did is the
// reason why they did not.
bool is_cut_at_limit(Trace trace, Trace left, const Outcome& outcome) {
  if (outcome.is_bug() || trace.empty()) return false;
  const auto last = std::find_if(trace.rbegin(), trace.rend(), is_decided);
  if (exits(trace, last == trace.rend() ? 0 : trace.size() - 1 - (last - trace.rbegin()))) {
    return false;
  }
  return !std::all_of(left.begin(), left.end(), is_blocked);
}

}  // namespace

void ExecutionRaces::rewind(std::uint64_t step) {
  order_.rewind(step);
  races_.clear();
  is_at_limit_ = ends_early_ = false;
}

void ExecutionRaces::extend(Trace trace, const Outcome& outcome, bool is_given_up,
                            std::uint64_t known) {
  trace_ = trace;
  // One that was left may have done nothing at all.
  const std::uint64_t seen = order_.make_room(left_);
  order_.extend(trace, races_, std::max(seen, known));
  RICERCAR_CHECK(trace.empty() || !order_.slots().empty());
  is_at_limit_ = !is_given_up && is_cut_at_limit(trace, left_, outcome);
  if (is_at_limit_) ++at_limit_;
  if (left_order_ == Left::blocked_first) {
    add_left(true, false);
    if (is_at_limit_) add_left(false, true);
  } else {
    add_left(true, is_at_limit_);
  }
  if (left_.empty() || is_given_up) return;
  ends_early_ = is_at_limit_ || outcome.is_bug() || ends_with_exit();
}

void ExecutionRaces::add_left(bool blocked, bool pending) {
  for (const Step& step : left_) {
    if (blocked) order_.add_blocked(step, races_);
    if (pending) order_.add_pending(step, races_);
  }
}

bool ExecutionRaces::ends_with_exit() const {
  return !order_.slots().empty() && exits(trace_, step_of(last_slot()));
}

void ExecutionRaces::forget() {
  order_.set_heap({});
  left_.clear();
}

std::uint32_t ExecutionRaces::last_slot() const {
  RICERCAR_CHECK(!order_.slots().empty());
  return static_cast<std::uint32_t>(order_.slots().size() - 1);
}

std::uint32_t ExecutionRaces::slot_start(std::uint32_t step) const {
  const std::vector<HappensBefore::Slot>& slots = order_.slots();
  const auto behind = std::partition_point(slots.begin(), slots.end(),
                                           [step](const auto& slot) { return slot.step <= step; });
  return behind == slots.begin() ? step : std::prev(behind)->step;
}

std::string ExecutionRaces::limited_text(const std::string& what, std::uint64_t count) const {
  return what + ": " + std::to_string(count) + ", " + std::to_string(at_limit_) +
         " of them without an end (the step limit), so this is no proof";
}

}  // namespace ricercar::inline strategy
