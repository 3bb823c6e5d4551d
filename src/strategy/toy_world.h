// A world for the tests of strategies: tasks that are lists of operations, and nothing else. It
// talks to a strategy as the real worlds do: options in ascending order of the task, a question
// only where there are two, `running` as in model/choice.h. It can save its states or not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
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
Program independent(const std::vector<std::uint32_t>& steps);

// Tasks that each enter a critical section so many times, all under one lock.
Program critical_sections(std::uint32_t tasks, std::uint32_t times);

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

// A running program; copied by the brute-force enumeration.
class World {
 public:
  explicit World(const Program& program);

  const TaskSet& enabled() const { return enabled_; }
  TaskId running() const { return running_; }
  bool ended() const { return enabled_.empty(); }
  std::uint32_t alternatives(TaskId task) const;
  bool failed() const { return failed_; }
  bool deadlocked() const;

  // Runs a schedule.
  void follow(const std::vector<int>& schedule);

  void perform(TaskId task, std::uint32_t value = 0);

  // What the next operation of a task looks like in a trace.
  Step step_of(TaskId task) const;
  bool has_ended(TaskId task) const {
    return next_[index(task)] == (*program_)[index(task)].size();
  }

  // What the tasks that have not ended would do next.
  std::vector<Step> left() const;

  // The state itself, without what only strategies care about.
  std::vector<std::uint64_t> contents() const;
  Fingerprint fingerprint() const;

 private:
  const Operation& pending(std::uint32_t task) const { return (*program_)[task][next_[task]]; }

  bool can_run(std::uint32_t task) const;

  void update();

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

// Asks a strategy at every point of one execution.
class Run final : public StateKeeper {
 public:
  Run(const Program& program, Strategy& strategy, bool keeps = false);

  Execution execute(std::uint64_t max_steps);
  // What a world tells before the end of an execution.
  void tell();

  std::unique_ptr<SavedState> save() override;
  const std::vector<Step>& trace() const { return trace_; }
  const World& world() const { return world_; }

 private:
  bool visit();
  TaskId choose_task();
  void note_pending(const Step& step);
  void perform(TaskId task);
  std::uint32_t choose_value(TaskId task, std::uint32_t alternatives);

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
bool execute(const Program& program, Strategy& strategy, Execution& execution,
             std::uint64_t max_steps = no_limit, bool keeps = false);

// Executions until the strategy ends, or so many.
std::vector<Execution> explore(const Program& program, Strategy& strategy,
                               std::uint64_t executions = no_limit,
                               std::uint64_t max_steps = no_limit, bool keeps = false);

std::vector<Execution> explore(const Program& program, std::string_view specification,
                               std::uint64_t executions = no_limit);

// All executions, or so many, by recursion over the world itself: shares no code with any strategy.
std::vector<Execution> brute_force(const Program& program, std::uint64_t limit = no_limit);

// Every state that can be reached, by breadth-first search over the world itself.
std::set<std::vector<std::uint64_t>> reachable(const Program& program);

// The schedules in a canonical order. Keeps duplicates: two lists are equal only if each schedule
// is in both equally often.
std::vector<Schedule> sorted_schedules(const std::vector<Execution>& executions);

std::vector<Execution> with_at_most(std::uint32_t preemptions, std::vector<Execution> executions);

}  // namespace ricercar::toy
