// A world for the tests of strategies: tasks that are lists of operations, and nothing else. It
// talks to a strategy as the real worlds do: options in ascending order of the task, a question
// only where there are two, `running` as in model/choice.h. It can save its states or not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/dependence.h"
#include "strategy/registry.h"

namespace ricercar::toy {

struct Operation {
  // A check reads a variable, and fails if nobody has written it: that ends the execution.
  enum Kind {
    step,
    lock,
    unlock,
    choose,
    yield,
    create,
    send,
    receive,
    write,
    read,
    check
  } kind = step;
  std::uint32_t argument = 0;  // a lock, a number of alternatives, a task, or a variable
};

using Task = std::vector<Operation>;
using Program = std::vector<Task>;  // a task that no other one creates is there from the start

// Tasks of so many independent steps each.
inline Program independent(const std::vector<std::uint32_t>& steps) {
  Program program;
  for (const std::uint32_t count : steps) program.emplace_back(count);
  return program;
}

// Tasks that each enter a critical section so many times, all under one lock.
inline Program critical_sections(std::uint32_t tasks, std::uint32_t times) {
  Task task;
  for (std::uint32_t i = 0; i < times; ++i) {
    task.push_back({Operation::lock, 0});
    task.push_back({Operation::unlock, 0});
  }
  return Program(tasks, task);
}

// What was decided: the task of every step, and -1 - alternative for every value.
using Schedule = std::vector<int>;

struct Execution {
  Schedule schedule;
  std::uint32_t preemptions = 0;
  std::uint32_t choices = 0;  // between tasks
  bool deadlock = false;
  bool failed = false;                             // a check did
  bool cut = false;                                // at the limit of steps
  bool given_up = false;                           // by the strategy
  std::vector<std::vector<std::uint64_t>> states;  // shown, if the strategy wants to know them
};

// A running program; copied by the brute-force enumeration below.
class World {
 public:
  explicit World(const Program& program)
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

  const TaskSet& enabled() const { return enabled_; }
  TaskId running() const { return running_; }
  bool ended() const { return enabled_.empty(); }
  std::uint32_t alternatives(TaskId task) const {
    const Operation& operation = pending(index(task));
    return operation.kind == Operation::choose ? operation.argument : 1;
  }
  bool failed() const { return failed_; }
  bool deadlocked() const {
    if (failed_) return false;
    for (std::uint32_t i = 0; i < next_.size(); ++i) {
      if (alive_[i] && next_[i] < (*program_)[i].size()) return enabled_.empty();
    }
    return false;
  }

  // Runs a schedule.
  void follow(const std::vector<int>& schedule) {
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      const TaskId task = task_id(static_cast<std::uint32_t>(schedule[i]));
      const bool has_value = i + 1 < schedule.size() && schedule[i + 1] < 0;
      perform(task, has_value ? static_cast<std::uint32_t>(-1 - schedule[++i]) : 0);
    }
  }

  void perform(TaskId task, std::uint32_t value = 0) {
    const Operation& operation = pending(index(task));
    const std::uint32_t argument = operation.argument;
    if (operation.kind == Operation::lock) held_.push_back(argument);
    if (operation.kind == Operation::unlock) std::erase(held_, argument);
    if (operation.kind == Operation::create) alive_[argument] = true;
    if (operation.kind == Operation::choose)
      values_[index(task)] = 8 * values_[index(task)] + value;
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

  // What the next operation of a task looks like in a trace.
  Step step_of(TaskId task) const {
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
  bool has_ended(TaskId task) const {
    return next_[index(task)] == (*program_)[index(task)].size();
  }

  // What the tasks that have not ended would do next.
  std::vector<Step> left() const {
    std::vector<Step> all;
    for (std::uint32_t i = 0; i < next_.size(); ++i) {
      if (!alive_[i] || has_ended(task_id(i))) continue;
      all.push_back(step_of(task_id(i)));
      if (!can_run(i)) all.back().flags |= step_blocked;
      all.back().open = 0;
    }
    return all;
  }

  // The state itself, without what only strategies care about.
  std::vector<std::uint64_t> contents() const {
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
  Fingerprint fingerprint() const {
    Fingerprint result{1, 2};
    for (const std::uint64_t part : contents()) {
      result = {mix64(result.low ^ part), mix64(result.high + part)};
    }
    return result;
  }

 private:
  // Locks and variables are different objects, each in a word of its own.
  static std::uint64_t object_of(const Operation& operation) {
    const bool is_variable = operation.kind == Operation::write ||
                             operation.kind == Operation::read ||
                             operation.kind == Operation::check;
    return (is_variable ? 2048 : 1024) + 8 * std::uint64_t{operation.argument};
  }
  const Operation& pending(std::uint32_t task) const { return (*program_)[task][next_[task]]; }

  bool can_run(std::uint32_t task) const {
    if (!alive_[task] || next_[task] == (*program_)[task].size()) return false;
    const Operation& operation = pending(task);
    if (operation.kind == Operation::receive) return queues_[task] > 0;
    if (operation.kind != Operation::lock) return true;
    return std::find(held_.begin(), held_.end(), operation.argument) == held_.end();
  }

  void update() {
    enabled_.clear();
    for (std::uint32_t i = 0; i < next_.size() && !failed_; ++i) {
      if (can_run(i)) enabled_.insert(task_id(i));
    }
  }

  const Program* program_;
  std::vector<std::size_t> next_;
  std::vector<bool> alive_;
  std::vector<std::uint32_t> held_;
  std::vector<std::uint32_t> values_;     // chosen, by task
  std::vector<std::uint32_t> queues_;     // how many messages wait, by task
  std::vector<std::uint32_t> variables_;  // who wrote last
  TaskSet enabled_;
  TaskId running_ = no_task;
  bool failed_ = false;
};

struct SavedWorld final : SavedState {
  explicit SavedWorld(const World& saved) : world(saved) {}
  const World world;
};

// Asks a strategy at every point of one execution.
class Run final : public StateKeeper {
 public:
  Run(const Program& program, Strategy& strategy, bool keeps = false)
      : world_(program), strategy_(strategy), states_(strategy.as<KnowsStates>()), keeps_(keeps) {
    pending_.resize(program.size());
    const SavedState* origin = states_ != nullptr ? states_->origin() : nullptr;
    if (origin != nullptr) world_ = static_cast<const SavedWorld*>(origin)->world;
  }

  Execution execute(std::uint64_t max_steps) {
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

  // What a world tells before the end of an execution.
  void tell() {
    left_ = world_.left();
    auto* rest = strategy_.as<WantsRest>();
    if (rest != nullptr && !left_.empty()) rest->left(left_);
    auto* learns = strategy_.as<LearnsContexts>();
    if (learns == nullptr) return;
    contexts_.assign(trace_.size() + left_.size(), CallContexts::outermost);
    const std::span<const ContextId> all = contexts_;
    learns->called_from(all.first(trace_.size()), all.subspan(trace_.size()));
  }

  std::unique_ptr<SavedState> save() override { return std::make_unique<SavedWorld>(world_); }
  const std::vector<Step>& trace() const { return trace_; }
  const World& world() const { return world_; }

 private:
  bool visit() {
    if (states_ == nullptr) return true;
    const bool goes_on = states_->visit({world_.fingerprint(), world_.enabled(), world_.running(),
                                         trace_, keeps_ ? this : nullptr});
    execution_.states.push_back(world_.contents());
    execution_.given_up = !goes_on;
    return goes_on;
  }

  TaskId choose_task() {
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

  void note_pending(const Step& step) {
    pending_[index(step.task)] = {step.object, step.site, step.kind, step.size};
  }

  void perform(TaskId task) {
    if (world_.running() != no_task && world_.running() != task) ++execution_.preemptions;
    const std::uint32_t alternatives = world_.alternatives(task);
    execution_.schedule.push_back(static_cast<int>(index(task)));
    trace_.push_back(world_.step_of(task));
    trace_.back().options = static_cast<std::uint16_t>(world_.enabled().size());
    const std::uint32_t value = alternatives > 1 ? choose_value(task, alternatives) : 0;
    world_.perform(task, value);
    if (world_.has_ended(task)) trace_.push_back({0, 0, 0, task, OperationKind::end, 0, 0, 0, 0});
  }

  std::uint32_t choose_value(TaskId task, std::uint32_t alternatives) {
    const OptionList options(task, alternatives, pending_.data());
    const std::size_t chosen =
        strategy_.choose({ChoiceKind::value, trace_.size(), task, options, trace_});
    RICERCAR_CHECK(chosen < alternatives);
    execution_.schedule.push_back(-1 - static_cast<int>(chosen));
    trace_.push_back({0, 0, chosen, task, OperationKind::choose, step_value, 0, 0,
                      static_cast<std::uint16_t>(alternatives)});
    return static_cast<std::uint32_t>(chosen);
  }

  World world_;
  Strategy& strategy_;
  KnowsStates* const states_;
  const bool keeps_;
  std::vector<ricercar::Operation> pending_;
  Execution execution_;
  std::vector<Step> trace_;
  std::vector<Step> left_;  // until the end of the execution
  std::vector<ContextId> contexts_;
};

inline constexpr std::uint64_t no_limit = ~std::uint64_t{0};

// One execution, if the strategy has one left.
inline bool execute(const Program& program, Strategy& strategy, Execution& execution,
                    std::uint64_t max_steps = no_limit, bool keeps = false) {
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

// Executions until the strategy ends, or so many.
inline std::vector<Execution> explore(const Program& program, Strategy& strategy,
                                      std::uint64_t executions = no_limit,
                                      std::uint64_t max_steps = no_limit, bool keeps = false) {
  std::vector<Execution> all;
  Execution execution;
  while (all.size() < executions && execute(program, strategy, execution, max_steps, keeps)) {
    all.push_back(std::move(execution));
  }
  return all;
}

inline std::vector<Execution> explore(const Program& program, std::string_view specification,
                                      std::uint64_t executions = no_limit) {
  return explore(program, *make_strategy(specification, 1), executions);
}

namespace internal {

inline void enumerate(const World& world, const Execution& so_far, std::uint64_t limit,
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

}  // namespace internal

// All executions, or so many, by recursion over the world itself: shares no code with any strategy.
inline std::vector<Execution> brute_force(const Program& program, std::uint64_t limit = no_limit) {
  std::vector<Execution> all;
  internal::enumerate(World(program), {}, limit, all);
  return all;
}

// Every state that can be reached, by breadth-first search over the world itself.
inline std::set<std::vector<std::uint64_t>> reachable(const Program& program) {
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

// The schedules in a canonical order. Keeps duplicates: two lists are equal only if each schedule
// is in both equally often.
inline std::vector<Schedule> sorted_schedules(const std::vector<Execution>& executions) {
  std::vector<Schedule> schedules;
  for (const Execution& execution : executions) schedules.push_back(execution.schedule);
  std::sort(schedules.begin(), schedules.end());
  return schedules;
}

inline std::vector<Execution> with_at_most(std::uint32_t preemptions,
                                           std::vector<Execution> executions) {
  std::erase_if(executions, [&](const Execution& e) { return e.preemptions > preemptions; });
  return executions;
}

}  // namespace ricercar::toy
