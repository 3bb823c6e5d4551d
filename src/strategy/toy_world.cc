#include "strategy/toy_world.h"

#include <deque>
#include <utility>

namespace ricercar::toy {
namespace {

// Locks and variables are different objects, each in a word of its own.
std::uint64_t object_of(const Operation& operation) {
  const bool is_variable = operation.kind == Operation::write ||
                           operation.kind == Operation::read || operation.kind == Operation::check;
  return (is_variable ? 2048 : 1024) + 8 * std::uint64_t{operation.argument};
}

struct SavedWorld final : SavedState {
  explicit SavedWorld(const World& saved) : world(saved) {}
  const World world;
};

void enumerate(const World& world, const Execution& so_far, std::uint64_t limit,
               std::vector<Execution>& all) {
  if (all.size() == limit) return;
  if (world.ended()) {
    all.push_back(so_far);
    all.back().deadlock = world.deadlocked();
    all.back().failed = world.failed();
  }
  world.enabled().for_each([&](TaskId task) {
    const bool preempts = world.running() != no_task && world.running() != task;
    const std::uint32_t alternatives = world.alternatives(task);
    for (std::uint32_t value = 0; value < alternatives; ++value) {
      Execution next = so_far;
      next.preemptions += preempts;
      next.schedule.push_back(static_cast<int>(index(task)));
      if (alternatives > 1) next.schedule.push_back(-1 - static_cast<int>(value));
      World after = world;
      after.perform(task, value);
      enumerate(after, next, limit, all);
    }
  });
}

}  // namespace

Program independent(const std::vector<std::uint32_t>& steps) {
  Program program;
  for (const std::uint32_t count : steps) program.emplace_back(count);
  return program;
}

Program critical_sections(std::uint32_t tasks, std::uint32_t times) {
  Task task;
  for (std::uint32_t i = 0; i < times; ++i) {
    task.push_back({Operation::lock, 0});
    task.push_back({Operation::unlock, 0});
  }
  return Program(tasks, task);
}

World::World(const Program& program)
    : program_(&program),
      next_(program.size(), 0),
      alive_(program.size(), true),
      values_(program.size(), 0),
      queues_(program.size(), 0),
      variables_(8, 0) {
  for (const Task& task : program) {
    for (const Operation& operation : task) {
      if (operation.kind == Operation::create) alive_[operation.argument] = false;
    }
  }
  update();
}

std::uint32_t World::alternatives(TaskId task) const {
  const Operation& operation = pending(index(task));
  return operation.kind == Operation::choose ? operation.argument : 1;
}

bool World::deadlocked() const {
  if (failed_) return false;
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    if (alive_[i] && next_[i] < (*program_)[i].size()) return enabled_.empty();
  }
  return false;
}

void World::follow(const std::vector<int>& schedule) {
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const TaskId task = task_id(static_cast<std::uint32_t>(schedule[i]));
    const bool has_value = i + 1 < schedule.size() && schedule[i + 1] < 0;
    perform(task, has_value ? static_cast<std::uint32_t>(-1 - schedule[++i]) : 0);
  }
}

void World::perform(TaskId task, std::uint32_t value) {
  const Operation& operation = pending(index(task));
  const std::uint32_t argument = operation.argument;
  if (operation.kind == Operation::lock) held_.push_back(argument);
  if (operation.kind == Operation::unlock) std::erase(held_, argument);
  if (operation.kind == Operation::create) alive_[argument] = true;
  if (operation.kind == Operation::choose) values_[index(task)] = 8 * values_[index(task)] + value;
  if (operation.kind == Operation::send) ++queues_[argument];
  if (operation.kind == Operation::receive) --queues_[index(task)];
  // Writes by two tasks do not commute.
  if (operation.kind == Operation::write) variables_[argument] = 1 + index(task);
  if (operation.kind == Operation::read) {
    values_[index(task)] = 8 * values_[index(task)] + variables_[argument];
  }
  if (operation.kind == Operation::check && variables_[argument] == 0) {
    failed_ = true;
    alive_[index(task)] = false;
  }
  ++next_[index(task)];
  update();
  const bool goes_on = operation.kind != Operation::yield && enabled_.contains(task);
  running_ = goes_on ? task : no_task;
}

Step World::step_of(TaskId task) const {
  const Operation& operation = pending(index(task));
  const std::uint32_t argument = operation.argument;
  Step step{0, 0, 0, task, OperationKind::fence, 0, 0, 0, 0};
  if (operation.kind == Operation::lock) step.kind = OperationKind::lock;
  if (operation.kind == Operation::unlock) step.kind = OperationKind::unlock;
  if (operation.kind == Operation::yield) step.kind = OperationKind::yield;
  if (operation.kind == Operation::choose) step.kind = OperationKind::choose;
  if (operation.kind == Operation::write) step.kind = OperationKind::atomic_store;
  if (operation.kind == Operation::read || operation.kind == Operation::check) {
    step.kind = OperationKind::atomic_load;
  }
  if (access_of(step.kind) != Access::none) step.object = object_of(operation);
  // It can only be locked, or received from, where that is open.
  if (operation.kind == Operation::lock || operation.kind == Operation::receive)
    step.open = open_to_one;
  if (operation.kind == Operation::create) {
    step.kind = OperationKind::create;
    step.value = argument;
  }
  if (operation.kind == Operation::send) {
    step.kind = OperationKind::send;
    step.object = objects::queue(argument);
    if (queues_[argument] > 0) step.open = open_to_one;
  }
  if (operation.kind == Operation::receive) {
    step.kind = OperationKind::dequeue;
    step.object = objects::queue(index(task));
  }
  return step;
}

std::vector<Step> World::left() const {
  std::vector<Step> all;
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    if (!alive_[i] || has_ended(task_id(i))) continue;
    all.push_back(step_of(task_id(i)));
    if (!can_run(i)) all.back().flags |= step_blocked;
    all.back().open = 0;
  }
  return all;
}

std::vector<std::uint64_t> World::contents() const {
  std::vector<std::uint64_t> all(next_.begin(), next_.end());
  all.insert(all.end(), alive_.begin(), alive_.end());
  all.insert(all.end(), values_.begin(), values_.end());
  all.insert(all.end(), queues_.begin(), queues_.end());
  all.insert(all.end(), variables_.begin(), variables_.end());
  std::vector<std::uint32_t> held = held_;
  std::sort(held.begin(), held.end());
  all.insert(all.end(), held.begin(), held.end());
  return all;
}

Fingerprint World::fingerprint() const {
  Fingerprint result{1, 2};
  for (const std::uint64_t part : contents()) {
    result = {mix64(result.low ^ part), mix64(result.high + part)};
  }
  return result;
}

bool World::can_run(std::uint32_t task) const {
  if (!alive_[task] || next_[task] == (*program_)[task].size()) return false;
  const Operation& operation = pending(task);
  if (operation.kind == Operation::receive) return queues_[task] > 0;
  if (operation.kind != Operation::lock) return true;
  return std::find(held_.begin(), held_.end(), operation.argument) == held_.end();
}

void World::update() {
  enabled_.clear();
  for (std::uint32_t i = 0; i < next_.size() && !failed_; ++i) {
    if (can_run(i)) enabled_.insert(task_id(i));
  }
}

Run::Run(const Program& program, Strategy& strategy, bool keeps)
    : world_(program), strategy_(strategy), states_(strategy.as<KnowsStates>()), keeps_(keeps) {
  pending_.resize(program.size());
  const SavedState* origin = states_ != nullptr ? states_->origin() : nullptr;
  if (origin != nullptr) world_ = static_cast<const SavedWorld*>(origin)->world;
}

Execution Run::execute(std::uint64_t max_steps) {
  while (visit() && !world_.ended()) {
    if (trace_.size() >= max_steps) {
      execution_.cut = true;
      break;
    }
    const TaskId task = choose_task();
    if (task == no_task) break;
    perform(task);
  }
  execution_.deadlock = world_.deadlocked();
  execution_.failed = world_.failed();
  return std::move(execution_);
}

void Run::tell() {
  left_ = world_.left();
  auto* rest = strategy_.as<WantsRest>();
  if (rest != nullptr && !left_.empty()) rest->left(left_);
  auto* learns = strategy_.as<LearnsContexts>();
  if (learns == nullptr) return;
  contexts_.assign(trace_.size() + left_.size(), CallContexts::outermost);
  const std::span<const ContextId> all = contexts_;
  learns->called_from(all.first(trace_.size()), all.subspan(trace_.size()));
}

std::unique_ptr<SavedState> Run::save() { return std::make_unique<SavedWorld>(world_); }

bool Run::visit() {
  if (states_ == nullptr) return true;
  const bool goes_on = states_->visit(
      {world_.fingerprint(), world_.enabled(), world_.running(), trace_, keeps_ ? this : nullptr});
  execution_.states.push_back(world_.contents());
  execution_.given_up = !goes_on;
  return goes_on;
}

TaskId Run::choose_task() {
  const std::uint32_t size = world_.enabled().size();
  if (size == 1) return world_.enabled().first();
  ++execution_.choices;
  world_.enabled().for_each([this](TaskId task) { note_pending(world_.step_of(task)); });
  const OptionList options(&world_.enabled(), size, pending_.data());
  const std::size_t chosen =
      strategy_.choose({ChoiceKind::schedule, trace_.size(), world_.running(), options, trace_});
  execution_.given_up = chosen == Strategy::cut;
  if (execution_.given_up) return no_task;
  return options[static_cast<std::uint32_t>(chosen)].task;
}

void Run::note_pending(const Step& step) {
  pending_[index(step.task)] = {step.object, step.site, step.kind, step.size};
}

void Run::perform(TaskId task) {
  const bool preempts = world_.running() != no_task && world_.running() != task;
  if (preempts) ++execution_.preemptions;
  const std::uint32_t alternatives = world_.alternatives(task);
  execution_.schedule.push_back(static_cast<int>(index(task)));
  trace_.push_back(world_.step_of(task));
  trace_.back().options = static_cast<std::uint16_t>(world_.enabled().size());
  if (preempts) trace_.back().flags |= step_preempts;
  const std::uint32_t value = alternatives > 1 ? choose_value(task, alternatives) : 0;
  world_.perform(task, value);
  if (world_.has_ended(task)) trace_.push_back({0, 0, 0, task, OperationKind::end, 0, 0, 0, 0});
}

std::uint32_t Run::choose_value(TaskId task, std::uint32_t alternatives) {
  const OptionList options(task, alternatives, pending_.data());
  const std::size_t chosen =
      strategy_.choose({ChoiceKind::value, trace_.size(), task, options, trace_});
  RICERCAR_CHECK(chosen < alternatives);
  execution_.schedule.push_back(-1 - static_cast<int>(chosen));
  trace_.push_back({0, 0, chosen, task, OperationKind::choose, step_value, 0, 0,
                    static_cast<std::uint16_t>(alternatives)});
  return static_cast<std::uint32_t>(chosen);
}

bool execute(const Program& program, Strategy& strategy, Execution& execution,
             std::uint64_t max_steps, bool keeps) {
  if (!strategy.begin()) return false;
  Run run(program, strategy, keeps);
  execution = run.execute(max_steps);
  Outcome outcome;
  if (execution.deadlock) outcome.kind = OutcomeKind::deadlock;
  if (execution.failed) outcome.kind = OutcomeKind::assertion;
  run.tell();
  strategy.end(run.trace(), outcome);
  return true;
}

std::vector<Execution> explore(const Program& program, Strategy& strategy, std::uint64_t executions,
                               std::uint64_t max_steps, bool keeps) {
  std::vector<Execution> all;
  Execution execution;
  while (all.size() < executions && execute(program, strategy, execution, max_steps, keeps)) {
    all.push_back(std::move(execution));
  }
  return all;
}

std::vector<Execution> explore(const Program& program, std::string_view specification,
                               std::uint64_t executions) {
  return explore(program, *make_strategy(specification, 1), executions);
}

std::vector<Execution> brute_force(const Program& program, std::uint64_t limit) {
  std::vector<Execution> all;
  enumerate(World(program), {}, limit, all);
  return all;
}

std::set<std::vector<std::uint64_t>> reachable(const Program& program) {
  std::set<std::vector<std::uint64_t>> known;
  std::deque<World> queue{World(program)};
  known.insert(queue.front().contents());
  for (; !queue.empty(); queue.pop_front()) {
    const World world = queue.front();
    world.enabled().for_each([&](TaskId task) {
      for (std::uint32_t value = 0; value < world.alternatives(task); ++value) {
        World after = world;
        after.perform(task, value);
        if (known.insert(after.contents()).second) queue.push_back(after);
      }
    });
  }
  return known;
}

std::vector<Schedule> sorted_schedules(const std::vector<Execution>& executions) {
  std::vector<Schedule> schedules;
  for (const Execution& execution : executions) schedules.push_back(execution.schedule);
  std::sort(schedules.begin(), schedules.end());
  return schedules;
}

std::vector<Execution> with_at_most(std::uint32_t preemptions, std::vector<Execution> executions) {
  std::erase_if(executions, [&](const Execution& e) { return e.preemptions > preemptions; });
  return executions;
}

}  // namespace ricercar::toy
