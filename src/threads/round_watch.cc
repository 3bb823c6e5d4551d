#include "threads/round_watch.h"

#include "threads/execution.h"

namespace ricercar {

void RoundWatch::begin_round(std::uint64_t period, std::uint64_t steps, Recorder* recorder) {
  period_ = period;
  steps_before_ = steps;
  recorder_ = recorder;
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
  for (std::uint32_t i = 0; i < execution.task_count(); ++i) {
    if (execution.task(task_id(i)).state == TaskState::ended) continue;
    if (!execution.is_blocked(task_id(i))) could_run_.insert(task_id(i));
  }
  return true;
}

}  // namespace ricercar
