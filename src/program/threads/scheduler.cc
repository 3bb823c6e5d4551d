#include "threads/scheduler.h"

#include "base/error.h"

namespace ricercar::inline threads {

void Scheduler::follow(Strategy& strategy) {
  strategy_ = &strategy;
  states_ = strategy.as<KnowsStates>();
  shows_states_ = states_ != nullptr;
  sees_every_point_ = strategy.as<SeesEveryPoint>() != nullptr;
  hashes_states_ = shows_states_ && states_->wants_fingerprints();
  if (hashes_states_) state_hash_.begin();
}

void Scheduler::note_strategy_error(const std::exception& error) {
  strategy_error_ = error.what();
  was_nondeterministic_ = dynamic_cast<const Nondeterminism*>(&error) != nullptr;
}

Task* Scheduler::decide_again(HeapTrace heap) { return decide(heap); }

// Threads have no state that could be compared: what stands for it is the happens-before relation
// of everything so far, from which the state follows.
bool Scheduler::show_state(const TaskSet& options, TaskId running) {
  const Fingerprint state = hashes_states_ ? state_hash_.extend(steps.trace()) : Fingerprint{};
  try {
    SharedAllocation shared;
    if (states_->visit({state, options, running, steps.trace(), nullptr})) return true;
  } catch (const std::exception& error) {
    note_strategy_error(error);
  }
  return false;
}

std::uint32_t Scheduler::choose_value(std::uint32_t n, const Operation& operation, HeapTrace heap) {
  const TaskId self = tasks.current().id;
  return ask({ChoiceKind::value, steps.size(), self, OptionList(self, n, &operation), steps.trace(),
              heap});
}

void Scheduler::check_invariants() const {
  tasks.check_invariants();
  turns.check_invariants(tasks);
  steps.check_invariants();
  RICERCAR_CHECK(last_ == no_task || tasks.was_used(last_));
  RICERCAR_CHECK(last_ == no_task || tasks[last_].last_step <= steps.size());
}

}  // namespace ricercar::inline threads
