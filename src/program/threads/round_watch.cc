#include "threads/round_watch.h"

namespace ricercar::inline threads {

void RoundWatch::begin_round(std::uint64_t period, Recorder* recorder, std::uint64_t accesses) {
  period_ = period;
  hurries_ = false;
  steps_before_ = scheduler_.steps.size();
  accesses_before_ = accesses;
  recorder_ = recorder;
}

void RoundWatch::hurry() {
  hurries_ = true;
  could_run_.clear();
}

std::size_t RoundWatch::choose(const ChoicePoint& point) {
  const Step& before = point.trace[point.step - period_];
  if (point.kind == ChoiceKind::value) {
    return before.value < point.options.size() ? before.value : cut;
  }
  return point.options.contains(before.task) ? point.options.position(before.task) : cut;
}

// Not State::options: fairness keeps some of those out that could run.
bool RoundWatch::visit(const State&) {
  scheduler_.tasks.for_each_live([&](const Task& task) {
    if (!scheduler_.turns.is_blocked(task.id)) could_run_.insert(task.id);
  });
  return true;
}

}  // namespace ricercar::inline threads
