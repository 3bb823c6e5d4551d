#include "threads/end_of_execution.h"

#include <string>
#include <utility>

namespace ricercar::inline threads {

bool EndOfExecution::passes(const Outcome& finding) {
  if (filter_ == nullptr || !filter_->goes_on(finding)) return false;
  ++passed_;
  return true;
}

bool EndOfExecution::passes_race(std::uint64_t site, std::uint64_t other_site) {
  if (filter_ == nullptr || !filter_->goes_on_through_race(site, other_site)) return false;
  ++passed_;
  return true;
}

// The first one counts: those that come later may follow from it.
void EndOfExecution::circle_closed(std::uint64_t steps, std::uint64_t passed_before,
                                   const Outcome& outcome) {
  if (circle_.steps == 0) circle_ = {steps, passed_before, outcome};
}

void EndOfExecution::forget_looking() {
  was_cut_ = false;
  outcome_ = Outcome{};
}

void EndOfExecution::settle() {
  const bool is_circle = !outcome_.is_bug() || outcome_.kind == OutcomeKind::deadlock;
  if (circle_.steps == 0 || !is_circle || was_stopped_) return;
  outcome_ = circle_.outcome;
  ended_in_circle_ = true;
}

Outcome leaked_thread(const Tasks& tasks) {
  Outcome outcome;
  const Task* task = tasks.leaked();
  if (task == nullptr) return outcome;
  outcome.kind = OutcomeKind::leak;
  outcome.message =
      "T" + std::to_string(index(task->id)) + " ended and was neither joined nor detached";
  outcome.task = task->id;
  outcome.site = task->creation_site;
  return outcome;
}

}  // namespace ricercar::inline threads
