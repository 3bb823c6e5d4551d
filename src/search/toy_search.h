// The toy world of the tests of strategies behind the interface of searches, for tests of searches
// among variants.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "search/search_loop.h"
#include "strategy/toy_world.h"

namespace ricercar::toy {

// A toy world behind the search's interface. A deadlock is told by who is left where, a check that
// fails by its task.
class ToyWorld final : public search::World {
 public:
  ToyWorld(const Control& control, Program program)
      : control_(control), program_(std::move(program)) {}

  std::unique_ptr<Strategy> new_strategy() override {
    return make_strategy(control_.request.strategy, control_.request.seed);
  }
  bool restore() override { return true; }
  ExecutionEnd run(Strategy& strategy) override {
    run_ = std::make_unique<toy::Run>(program_, strategy, true);
    const toy::Execution execution = run_->execute(control_.request.max_steps);
    outcome_ = {};
    if (execution.deadlock) outcome_.kind = OutcomeKind::deadlock;
    if (execution.failed) outcome_.kind = OutcomeKind::assertion;
    outcome_.task = run_->trace().empty() ? no_task : run_->trace().back().task;
    ExecutionEnd end;
    end.outcome = &outcome_;
    end.trace = run_->trace();
    end.has_findings = outcome_.is_bug();
    end.was_cut = execution.given_up;
    return end;
  }
  std::vector<Step> left() const override { return {}; }
  std::string error() const override { return {}; }
  std::vector<Finding> findings() override { return {{outcome_, run_->trace(), {}}}; }
  std::vector<std::uint64_t> places(const Finding& finding) override {
    if (finding.outcome.kind == OutcomeKind::assertion) return {index(finding.outcome.task) + 1};
    std::vector<std::uint64_t> places;
    for (const Step& step : run_->world().left()) places.push_back(step.object);
    return places;
  }
  bool leaves_out(const Outcome&) override { return false; }

 private:
  const Control& control_;
  const Program program_;
  std::unique_ptr<toy::Run> run_;
  Outcome outcome_;
};

struct FoundByChance {
  std::vector<std::uint16_t> decisions;
  OutcomeKind kind = OutcomeKind::ok;
  std::uint64_t steps = 0;
};

// The last one of many random executions that fails.
inline FoundByChance search_for_bug(const Program& program, OutcomeKind kind, std::uint64_t seed) {
  const auto control = std::make_unique<Control>();
  control->request.strategy = "random";
  control->request.seed = seed;
  control->request.max_executions = 10000;
  ToyWorld world(*control, program);
  SearchLoop loop(*control);
  loop.run(world);
  FoundByChance found;
  if (control->first_bug != nullptr && control->first_bug->outcome.kind == kind) {
    const FoundBug& bug = *control->first_bug;
    found = {{bug.decisions.begin(), bug.decisions.end()}, kind, bug.steps};
  }
  loop.forget();
  return found;
}

}  // namespace ricercar::toy
