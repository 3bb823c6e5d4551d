// A world for the tests of strategies: tasks that are lists of operations, and nothing else. It
// talks to a strategy as the real worlds do: options in ascending order of the task, a question
// only where there are two, `running` as in model/choice.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "strategy/registry.h"

namespace ricercar::toy {

struct Operation {
  enum Kind { step, lock, unlock, choose, yield, create } kind = step;
  std::uint32_t argument = 0;  // a lock, a number of alternatives, or a task
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
  bool cut = false;
};

// A running program; copied by the brute-force enumeration below.
class World {
 public:
  explicit World(const Program& program)
      : program_(&program), next_(program.size(), 0), alive_(program.size(), true) {
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
  bool deadlocked() const {
    for (std::uint32_t i = 0; i < next_.size(); ++i) {
      if (alive_[i] && next_[i] < (*program_)[i].size()) return enabled_.empty();
    }
    return false;
  }

  void perform(TaskId task) {
    const Operation& operation = pending(index(task));
    if (operation.kind == Operation::lock) held_.push_back(operation.argument);
    if (operation.kind == Operation::unlock) std::erase(held_, operation.argument);
    if (operation.kind == Operation::create) alive_[operation.argument] = true;
    ++next_[index(task)];
    update();
    const bool goes_on = operation.kind != Operation::yield && enabled_.contains(task);
    running_ = goes_on ? task : no_task;
  }

 private:
  const Operation& pending(std::uint32_t task) const { return (*program_)[task][next_[task]]; }

  bool can_run(std::uint32_t task) const {
    if (!alive_[task] || next_[task] == (*program_)[task].size()) return false;
    const Operation& operation = pending(task);
    if (operation.kind != Operation::lock) return true;
    return std::find(held_.begin(), held_.end(), operation.argument) == held_.end();
  }

  void update() {
    enabled_.clear();
    for (std::uint32_t i = 0; i < next_.size(); ++i) {
      if (can_run(i)) enabled_.insert(task_id(i));
    }
  }

  const Program* program_;
  std::vector<std::size_t> next_;
  std::vector<bool> alive_;
  std::vector<std::uint32_t> held_;
  TaskSet enabled_;
  TaskId running_ = no_task;
};

// Asks a strategy at every point of one execution.
class Run {
 public:
  Run(const Program& program, Strategy& strategy) : world_(program), strategy_(strategy) {
    pending_.resize(program.size());
  }

  Execution execute(std::uint64_t max_steps) {
    while (!world_.ended()) {
      if (step_ >= max_steps) {
        execution_.cut = true;
        break;
      }
      perform(choose_task());
    }
    execution_.deadlock = world_.deadlocked();
    return std::move(execution_);
  }

  std::uint64_t steps() const { return step_; }

 private:
  TaskId choose_task() {
    const std::uint32_t size = world_.enabled().size();
    if (size == 1) return world_.enabled().first();
    ++execution_.choices;
    const OptionList options(&world_.enabled(), size, pending_.data());
    const auto chosen = static_cast<std::uint32_t>(
        strategy_.choose({ChoiceKind::schedule, step_, world_.running(), options}));
    return options[chosen].task;
  }

  void perform(TaskId task) {
    if (world_.running() != no_task && world_.running() != task) ++execution_.preemptions;
    const std::uint32_t alternatives = world_.alternatives(task);
    execution_.schedule.push_back(static_cast<int>(index(task)));
    ++step_;
    if (alternatives > 1) choose_value(task, alternatives);
    world_.perform(task);
  }

  void choose_value(TaskId task, std::uint32_t alternatives) {
    const OptionList options(task, alternatives, pending_.data());
    const std::size_t chosen = strategy_.choose({ChoiceKind::value, step_, task, options});
    RICERCAR_CHECK(chosen < alternatives);
    execution_.schedule.push_back(-1 - static_cast<int>(chosen));
    ++step_;
  }

  World world_;
  Strategy& strategy_;
  std::vector<ricercar::Operation> pending_;
  Execution execution_;
  std::uint64_t step_ = 0;
};

inline constexpr std::uint64_t no_limit = ~std::uint64_t{0};

// One execution, if the strategy has one left.
inline bool execute(const Program& program, Strategy& strategy, Execution& execution,
                    std::uint64_t max_steps = no_limit) {
  if (!strategy.begin()) return false;
  Run run(program, strategy);
  execution = run.execute(max_steps);
  const std::vector<Step> trace(run.steps());
  Outcome outcome;
  if (execution.deadlock) outcome.kind = OutcomeKind::deadlock;
  strategy.end(trace, outcome);
  return true;
}

// Executions until the strategy ends, or so many.
inline std::vector<Execution> explore(const Program& program, Strategy& strategy,
                                      std::uint64_t executions = no_limit,
                                      std::uint64_t max_steps = no_limit) {
  std::vector<Execution> all;
  Execution execution;
  while (all.size() < executions && execute(program, strategy, execution, max_steps)) {
    all.push_back(std::move(execution));
  }
  return all;
}

inline std::vector<Execution> explore(const Program& program, std::string_view specification,
                                      std::uint64_t executions = no_limit) {
  return explore(program, *make_strategy(specification, 1), executions);
}

namespace internal {

inline void enumerate(const World& world, const Execution& so_far, std::vector<Execution>& all) {
  if (world.ended()) {
    all.push_back(so_far);
    all.back().deadlock = world.deadlocked();
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
      after.perform(task);
      enumerate(after, next, all);
    }
  });
}

}  // namespace internal

// All executions, by recursion over the world itself: shares no code with any strategy.
inline std::vector<Execution> brute_force(const Program& program) {
  std::vector<Execution> all;
  internal::enumerate(World(program), {}, all);
  return all;
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
