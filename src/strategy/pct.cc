// Probabilistic concurrency testing: the enabled task with the highest priority runs; priorities
// are random, and at depth-1 random points the task that would run falls below all others.
// (Burckhardt, Kothari, Musuvathi, Nagarakatte, A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs, ASPLOS 2010.)
//
// Departures from the paper:
// - k counts the choices between tasks, not all steps: where one task alone is enabled, a lower
//   priority has no effect. So k is smaller and the guaranteed probability larger.
// - k need not be known: it follows the length of the executions so far, up at once and down
//   slowly, so that one very long execution does not spoil those after it.
// - A task that yields falls below all others, or a task that waits for another one by spinning
//   would never let it run.
#include <algorithm>
#include <vector>

#include "base/random.h"
#include "strategy/registry.h"
#include "strategy/task_priorities.h"

namespace ricercar::inline strategy {
namespace {

class PctStrategy final : public StrategyWith<CanRestart, ShowsProgress> {
 public:
  PctStrategy(std::uint64_t seed, std::uint64_t depth, std::uint64_t choices)
      : base_(mix64(seed)), random_(base_), learns_(choices == 0), choices_(choices) {
    if (learns_) choices_ = first_guess;
    changes_.resize(depth - 1);
  }

  bool begin() override {
    random_ = Random(base_ + executions_++);
    priorities_.clear();
    choice_ = 0;
    last_task_ = no_task;
    draw_changes();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return random_.below(point.options.size());
    const TaskId newest = point.options.task(point.options.size() - 1);
    if (index(newest) >= priorities_.known()) [[unlikely]] {
      priorities_.add_up_to(newest, random_);
    }
    if (has_yielded(point)) priorities_.lower_below_all(last_task_);
    const PrioritizedTask chosen = highest(point.options);
    ++choice_;
    last_step_ = point.step;
    last_task_ = chosen.task;
    return chosen.option;
  }

  void end(Trace, const Outcome&) override {
    most_tasks_ = std::max(most_tasks_, priorities_.known());
    if (!learns_) return;
    const std::uint64_t length = std::clamp<std::uint64_t>(choice_, 1, 0xffffffff);
    choices_ = length >= choices_ ? length : choices_ - (choices_ - length + 15) / 16;
  }

  void restart() override {}
  Coverage coverage() const override {
    const std::string n = std::to_string(std::max(most_tasks_, 1u));
    const std::string k = std::to_string(choices_);
    const std::string depth = std::to_string(changes_.size() + 1);
    return {false, "random executions: " + std::to_string(executions_) +
                       ", each finds a bug of depth " + depth + " with probability at least 1/(" +
                       n + "*" + k + "^" + std::to_string(changes_.size()) + ") (tasks: " + n +
                       ", choices: " + k + ")"};
  }

  std::string progress() const override { return "depth " + std::to_string(changes_.size() + 1); }

 private:
  static constexpr std::uint64_t first_guess = 50;

  // At which choice the task that would run gets a low priority, and which one.
  struct Change {
    std::uint64_t choice;
    std::uint32_t priority;
  };

  void draw_changes() {
    next_change_ = 0;
    std::uint32_t priority = 0;
    for (Change& change : changes_) {
      change = {random_.below(static_cast<std::uint32_t>(choices_)), ++priority};
    }
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.choice < b.choice; });
  }

  PrioritizedTask highest(const OptionList& options) {
    PrioritizedTask best = priorities_.highest(options);
    while (next_change_ < changes_.size() && changes_[next_change_].choice == choice_) {
      priorities_.lower(best.task, changes_[next_change_++].priority);
      best = priorities_.highest(options);
    }
    return best;
  }

  // The task of the last step could go on, and still the world does not count it as running.
  bool has_yielded(const ChoicePoint& point) const {
    return point.running == no_task && point.step == last_step_ + 1 &&
           point.options.contains(last_task_);
  }

  const std::uint64_t base_;
  Random random_;
  const bool learns_;
  std::uint64_t choices_;  // the k of the paper, see above
  std::vector<Change> changes_;
  std::size_t next_change_ = 0;
  TaskPriorities priorities_;
  std::uint64_t choice_ = 0;  // how many choices between tasks this execution had so far
  std::uint64_t last_step_ = 0;
  TaskId last_task_ = no_task;
  std::uint64_t executions_ = 0;
  std::uint32_t most_tasks_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_pct(const Parameters& parameters) {
  return std::make_unique<PctStrategy>(parameters.seed, parameters.number("depth"),
                                       parameters.number("steps"));
}

}  // namespace ricercar::inline strategy
