#include "search/rounds.h"

namespace ricercar::inline search {

Rounds rounds_of(Trace trace, std::uint64_t round) {
  Rounds rounds;
  const std::size_t begin = trace.size() - round;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Step& step = trace[i];
    if (i == begin) rounds.begin = rounds.turns.size();
    if (i == 0 || i == begin || trace[i - 1].task != step.task) {
      rounds.turns.push_back({step.task, 0, {}});
    }
    RoundTurn& turn = rounds.turns.back();
    if ((step.flags & step_value) != 0 && step.value != 0) {
      turn.values.emplace_back(turn.steps, static_cast<std::uint32_t>(step.value));
    }
    ++turn.steps;
  }
  return rounds;
}

void RoundsStrategy::follow(Rounds rounds) {
  rounds_ = std::move(rounds);
  take(0);
  seen_ = 0;
}

// Behind the last one: there is none.
std::size_t RoundsStrategy::next_turn() const {
  return turn_ + 1 < rounds_.turns.size() ? turn_ + 1 : rounds_.begin;
}

bool RoundsStrategy::has_turn(TaskId task) const {
  return !is_over() && turn().task == task && made_ < turn().steps;
}

void RoundsStrategy::take(std::size_t turn) {
  turn_ = turn;
  made_ = 0;
}

// What nobody decided may have been another task's step.
void RoundsStrategy::count_steps(Trace trace) {
  for (; seen_ < trace.size() && !is_over(); ++seen_) {
    const TaskId task = trace[seen_].task;
    if (!has_turn(task)) {
      const std::size_t next = next_turn();
      if (next == rounds_.turns.size() || rounds_.turns[next].task != task) continue;
      take(next);
    }
    ++made_;
  }
}

std::size_t RoundsStrategy::choose(const ChoicePoint& point) {
  count_steps(point.trace);
  if (point.kind == ChoiceKind::value) return choose_value(point);
  for (std::size_t tries = 0; tries <= rounds_.turns.size() && !is_over(); ++tries) {
    const TaskId task = turn().task;
    if (has_turn(task) && point.options.contains(task)) return point.options.position(task);
    take(next_turn());
  }
  return point.running != no_task ? point.options.position(point.running) : 0;
}

std::uint32_t RoundsStrategy::choose_value(const ChoicePoint& point) const {
  if (!has_turn(point.options.task(0))) return 0;
  for (const auto& [steps, alternative] : turn().values) {
    if (steps == made_ && alternative < point.options.size()) return alternative;
  }
  return 0;
}

}  // namespace ricercar::inline search
