#include "strategy/delaying/explorer_guide.h"

#include <algorithm>

#include "base/error.h"
#include "model/dependence.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t states_to_check = 1000;  // of an explorer of the program's own

std::string listed(const TaskSet& tasks) {
  std::string text;
  tasks.for_each([&](TaskId task) {
    if (!text.empty()) text += ", ";
    text += std::to_string(index(task));
  });
  return text;
}

// Tasks that no other one has created so far.
TaskSet there_from_the_start(const State& state) {
  TaskSet tasks = state.enabled;
  for (const Step& step : state.trace) tasks.insert(step.task);
  for (const Step& step : state.trace) {
    if (step.kind != OperationKind::create) continue;
    tasks.erase(task_id(static_cast<std::uint32_t>(step.value)));
  }
  return tasks;
}

}  // namespace

ExplorerGuide::ExplorerGuide(NamedExplorer explorer, std::uint64_t checked)
    : common_(std::make_shared<Common>(
          Common{std::move(explorer.name), checked, explorer.is_own, explorer.draw})),
      explorer_(std::move(explorer.explorer)) {}

ExplorerGuide::ExplorerGuide(const ExplorerGuide& other)
    : Guide(other),
      common_(other.common_),
      explorer_(other.explorer_->copy()),
      seen_(other.seen_),
      enabled_(other.enabled_),
      known_(other.known_),
      told_(other.told_),
      running_(other.running_),
      running_ended_(other.running_ended_) {}

void ExplorerGuide::start(TaskId task) {
  if (known_.contains(task)) return;
  known_.insert(task);
  told_.insert(task);
  explorer_->started(index(task));
}

void ExplorerGuide::start_all(const TaskSet& tasks) {
  tasks.for_each([&](TaskId task) { start(task); });
}

void ExplorerGuide::send(TaskId from, TaskId to) {
  if (from == to || told_.contains(to)) return;
  told_.insert(to);
  explorer_->step({ExplorerStep::sent, index(from), index(to)});
}

void ExplorerGuide::learn(const Step& step) {
  if ((step.flags & step_value) != 0) return;
  switch (step.kind) {
    case OperationKind::create:
      // A number may be taken again after very many tasks.
      known_.erase(task_id(static_cast<std::uint32_t>(step.value)));
      return start(task_id(static_cast<std::uint32_t>(step.value)));
    case OperationKind::end:
    case OperationKind::halt:
      if (step.task == running_) running_ended_ = true;
      return explorer_->finished(index(step.task));
    case OperationKind::send:
      return send(step.task, task_id(static_cast<std::uint32_t>(objects::machine_of(step.object))));
    case OperationKind::signal:
      if ((step.flags & step_failed) != 0) return;
      return send(step.task, task_id(static_cast<std::uint32_t>(step.value)));
    case OperationKind::hint:
      return explorer_->step({ExplorerStep::hint, index(step.task), 0, step.object, step.value});
    default:
      return;
  }
}

// Whoever became able to go on was woken or let in by the task that ran.
void ExplorerGuide::compare(const TaskSet& enabled) {
  enabled.for_each([&](TaskId task) {
    if (!enabled_.contains(task)) send(running_, task);
  });
  if (!running_ended_ && !enabled.contains(running_)) {
    explorer_->step({ExplorerStep::blocked, index(running_)});
  }
}

// Nobody was chosen: there was one task only, or something rare has let one go on that was not
// among those of the state.
TaskId ExplorerGuide::who_ran(const State& state) const {
  const TaskId first = seen_ < state.trace.size() ? state.trace[seen_].task : no_task;
  if (known_.contains(first)) return first;
  return enabled_.size() == 1 ? enabled_.first() : no_task;
}

void ExplorerGuide::enter(const State& state) {
  told_.clear();
  if (running_ == no_task) running_ = who_ran(state);
  const bool is_first = running_ == no_task;
  running_ended_ = is_first;
  if (is_first) {
    start_all(there_from_the_start(state));
  } else {
    explorer_->step({ExplorerStep::ran, index(running_)});
  }
  for (const Step& step : state.trace.subspan(seen_)) learn(step);
  seen_ = state.trace.size();
  start_all(state.enabled);
  if (!is_first) compare(state.enabled);
  enabled_ = state.enabled;
  running_ = no_task;
  if (common_->left_to_check != 0 && enabled_.size() > 1) {
    --common_->left_to_check;
    check_soundness(seen_);
  }
}

unsigned ExplorerGuide::next(const DelayingExplorer& explorer, std::uint64_t step) const {
  const unsigned task = explorer.next(enabled());
  if (task < max_tasks && enabled_.contains(task_id(task))) return task;
  throw UsageError(
      "the explorer '" + common_->name + "' names task " + std::to_string(task) + " at step " +
      std::to_string(step) +
      ", which cannot go on there; next() must name one of the enabled tasks: " + listed(enabled_));
}

void ExplorerGuide::check_soundness(std::uint64_t step) {
  std::unique_ptr<DelayingExplorer> before = explorer_->copy();
  TaskSet missing = enabled_;
  for (std::uint32_t i = 0; i < enabled_.size(); ++i) {
    if (i != 0) explorer_->delay(enabled());
    missing.erase(task_id(next(step)));
  }
  explorer_ = std::move(before);
  if (missing.empty()) return;
  throw UsageError("the explorer '" + common_->name + "' is not sound: at step " +
                   std::to_string(step) + " the tasks " + listed(enabled_) + " can go on, but " +
                   std::to_string(enabled_.size() - 1) + " delays in a row never reach " +
                   listed(missing) +
                   "; n - 1 delays must make next() name every one of n enabled tasks");
}

std::uint32_t ExplorerGuide::option(const ChoicePoint& point, std::uint32_t alternative) {
  if (point.kind == ChoiceKind::value) return value_at(point, alternative);
  take(alternative, point.step);
  return point.options.position(running_);
}

// What the explorer names first, the others in their order.
std::uint32_t ExplorerGuide::value_at(const ChoicePoint& point, std::uint32_t alternative) const {
  if (!common_->is_own) return alternative;
  const std::uint32_t count = point.options.size();
  const unsigned first = explorer_->value(index(point.options.task(0)), count);
  if (first >= count) {
    throw UsageError("the explorer '" + common_->name + "' names the value " +
                     std::to_string(first) + " at step " + std::to_string(point.step) +
                     ", where there are " + std::to_string(count) +
                     "; value() must be below the number that it is given");
  }
  if (alternative == 0) return first;
  return alternative <= first ? alternative - 1 : alternative;
}

std::unique_ptr<Guide> ExplorerGuide::redrawn(std::uint64_t seed) const {
  if (common_->draw == nullptr) return nullptr;
  auto guide = std::make_unique<ExplorerGuide>(*this);
  guide->explorer_ = common_->draw(seed);
  return guide;
}

void ExplorerGuide::take(std::uint32_t alternative, std::uint64_t step) {
  for (std::uint32_t i = 0; i < alternative; ++i) {
    next(step);
    explorer_->delay(enabled());
  }
  running_ = task_id(next(step));
}

std::uint32_t ExplorerGuide::order(std::uint16_t* tasks, std::uint32_t most) const {
  const std::uint32_t count = enabled_.size();
  if (count < 2 || count > most) return 0;
  const std::unique_ptr<DelayingExplorer> explorer = explorer_->copy();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i != 0) explorer->delay(enabled());
    tasks[i] = static_cast<std::uint16_t>(next(*explorer, seen_));
  }
  return count;
}

std::unique_ptr<Guide> make_explorer_guide(const Parameters& parameters) {
  NamedExplorer explorer =
      make_explorer(parameters.text("explorer"), parameters.seed, parameters.resources.explorers);
  std::uint64_t checked = explorer.is_own ? states_to_check : 0;
  if (parameters.flag("check")) checked = ~std::uint64_t{0};
  return std::make_unique<ExplorerGuide>(std::move(explorer), checked);
}

}  // namespace ricercar::inline strategy
