// Partial order sampling: the next step of every task has a random priority, and the highest one
// runs. It gives new priorities to the task that ran and to all tasks whose next step it races
// with. (X. Yuan, J. Yang, R. Gu, Partial Order Aware Concurrency Sampling, CAV 2018.)
//
// Departure from the paper: steps that were not decided, because one task alone could go on, count
// like those that were, so nothing is known of races with what happens inside of them.
#include <vector>

#include "base/random.h"
#include "model/dependence.h"
#include "strategy/rare_moments.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

class PosStrategy final : public StrategyWith<CanRestart, Samples> {
 public:
  explicit PosStrategy(std::uint64_t seed) : base_(mix64(seed)), random_(base_) {}

  bool begin() override {
    random_ = Random(base_ + executions_++);
    priorities_.clear();
    moments_.begin();
    seen_ = 0;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return moments_.target(point, random_);
    for (const Step& step : point.trace.subspan(seen_)) draw_after(step, point.options);
    seen_ = point.trace.size();
    const std::uint32_t rare = moments_.drawn(point, random_);
    return rare != RareMoments::none ? rare : highest(point);
  }

  void end(Trace, const Outcome&) override { moments_.end(); }
  void restart() override {}
  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions_) + ", no promise"};
  }

 private:
  // 0: to be drawn.
  std::uint64_t& priority_of(TaskId task) {
    if (index(task) >= priorities_.size()) priorities_.resize(index(task) + 1, 0);
    return priorities_[index(task)];
  }

  void draw_after(const Step& step, const OptionList& options) {
    if ((step.flags & step_value) != 0) return;
    priority_of(step.task) = 0;
    Footprint done;
    done.add(step, true);
    options.for_each([&](const Option& option, std::uint32_t) {
      if (option.task != step.task && footprint_of(option).depends_on(done))
        priority_of(option.task) = 0;
    });
  }

  static Footprint footprint_of(const Option& option) {
    const Operation& next = *option.operation;
    Footprint result;
    result.add(Step{next.site, next.object, 0, option.task, next.kind, 0, next.size, 0, 0}, true);
    return result;
  }

  std::size_t highest(const ChoicePoint& point) {
    std::size_t best = 0;
    std::uint64_t best_priority = 0;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (!is_common(point, option.task, i)) return;
      std::uint64_t& priority = priority_of(option.task);
      if (priority == 0) priority = 1 + random_.below(0xfffffffe);
      if (priority > best_priority) best = i, best_priority = priority;
    });
    return best;
  }

  const std::uint64_t base_;
  Random random_;
  RareMoments moments_;
  std::vector<std::uint64_t> priorities_;  // of the next step of each task
  std::size_t seen_ = 0;                   // steps of the trace
  std::uint64_t executions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_pos(const Parameters& parameters) {
  return std::make_unique<PosStrategy>(parameters.seed);
}

}  // namespace ricercar::inline strategy
