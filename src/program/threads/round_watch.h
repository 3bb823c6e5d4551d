// Watches a repetition at the end of a long execution for a few more rounds: whether it goes on for
// ever, and who could have run meanwhile. It takes the decisions of the round before again, and
// time passes quickly, so that a loop which waits for a moment to come ends. An execution that is
// told only up to its first round goes round up to the limit of steps before that.
//
// What happens while it watches leaves no step behind. Not thread-safe.
#pragma once

#include <cstdint>

#include "model/task_set.h"
#include "strategy/strategy.h"
#include "threads/scheduler.h"

namespace ricercar::inline threads {

class Recorder;

class RoundWatch : public StrategyWith<KnowsStates> {
 public:
  static constexpr std::uint64_t rounds = 3;

  explicit RoundWatch(const Scheduler& scheduler) : scheduler_(scheduler) {}

  // `accesses`: plain ones, so far.
  void begin_round(std::uint64_t period, Recorder* recorder, std::uint64_t accesses);
  // The last rounds begin: who could have run in these counts.
  void hurry();
  void over() {
    period_ = 0;
    hurries_ = false;
  }
  bool active() const { return period_ != 0; }
  bool hurries() const { return hurries_; }
  std::uint64_t period() const { return period_; }
  std::uint64_t steps_before() const { return steps_before_; }
  std::uint64_t accesses_before() const { return accesses_before_; }
  Recorder* recorder() const { return recorder_; }
  // Who could have been chosen at some point.
  const TaskSet& could_run() const { return could_run_; }

  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }
  bool visit(const State& state) override;
  bool wants_fingerprints() const override { return false; }

 private:
  const Scheduler& scheduler_;
  std::uint64_t period_ = 0;  // 0: watches nothing
  bool hurries_ = false;
  std::uint64_t steps_before_ = 0;
  std::uint64_t accesses_before_ = 0;
  Recorder* recorder_ = nullptr;  // of the execution, which notes nothing in the meantime
  TaskSet could_run_;
};

}  // namespace ricercar::inline threads
