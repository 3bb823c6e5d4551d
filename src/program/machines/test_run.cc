#include "machines/test_run.h"

#include "machines/crash_guard.h"
#include "strategy/registry.h"

namespace ricercar::machines {
namespace {

class ScheduledBy final : public Strategy {
 public:
  explicit ScheduledBy(const Scheduler& scheduler) : scheduler_(scheduler) {}

  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value || !scheduler_) return 0;
    TaskSet enabled;
    point.options.for_each(
        [&](const Option& option, std::uint32_t) { enabled.insert(option.task); });
    return point.options.position(task_id(scheduler_(enabled)));
  }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

 private:
  const Scheduler& scheduler_;
};

class Lines final : public Story {
 public:
  Lines(const World& world, OneRun& run)
      : world_(world), lines_(run.story), conditions_(run.conditions) {}
  void tell(const RecordedAct& act) override {
    const std::string target = act.target == no_machine ? "" : world_.name_of(act.target);
    lines_.push_back(world_.name_of(act.machine) + " " + words_of(act, target));
  }
  void becomes(const RecordedCondition& condition) override {
    conditions_.push_back(std::to_string(lines_.size()) + " " + world_.name_of(condition.machine) +
                          " " + condition.state + " " + condition.variables);
  }

 private:
  const World& world_;
  std::vector<std::string>& lines_;
  std::vector<std::string>& conditions_;
};

std::string machines_of(const World& world) {
  std::string text;
  world.show_ending([&text](const RecordedMachine& machine) { text += words_of(machine); });
  return text;
}

std::string ending_of(const World& world) {
  const Outcome& outcome = world.outcome();
  if (outcome.is_bug()) return std::string(info(outcome.kind).name) + ": " + outcome.message;
  return machines_of(world);
}

}  // namespace

Runs run_all(const SetUp& set_up, const std::string& specification) {
  install_crash_guard();
  const SignalStack signal_stack;
  Runs runs;
  const InitialSystem system = make_system(set_up);
  const auto strategy = make_strategy(specification, 1, {});
  World world(system, 10000);
  world.remember_handlers();
  while (strategy->begin()) {
    world.run(*strategy);
    ++runs.executions;
    if (world.reached_step_limit()) {
      ++runs.cut_at_step_limit;
    } else if (!world.was_cut()) {
      runs.endings.insert(ending_of(world));
    }
    if (auto* rest = strategy->as<WantsRest>()) rest->left(world.left());
    strategy->end(world.trace(), world.outcome());
  }
  runs.coverage = strategy->coverage().text;
  return runs;
}

OneRun run_once(const SetUp& set_up, const Scheduler& scheduler, std::uint64_t max_steps) {
  install_crash_guard();
  const SignalStack signal_stack;
  OneRun run;
  const InitialSystem system = make_system(set_up);
  World world(system, max_steps);
  Lines lines(world, run);
  world.tell(&lines);
  ScheduledBy strategy(scheduler);
  run.outcome = world.run(strategy);
  run.ending = machines_of(world);
  run.cycle = world.cycle();
  run.reached_step_limit = world.reached_step_limit();
  return run;
}

}  // namespace ricercar::machines
