// For the tests of reductions: programs of the toy world with all their executions, and what two
// lists of executions have in common: final states, and Mazurkiewicz traces, found without any code
// of the reductions.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "strategy/toy_world.h"

namespace ricercar::toy {

using States = std::set<std::vector<std::uint64_t>>;

inline std::vector<std::uint64_t> final_state(const Program& program, const Execution& execution) {
  World world(program);
  world.follow(execution.schedule);
  std::vector<std::uint64_t> state = world.contents();
  state.push_back(world.deadlocked() ? 1 : 0);
  return state;
}

inline States final_states(const Program& program, const std::vector<Execution>& executions) {
  States states;
  for (const Execution& execution : executions) {
    if (!execution.given_up) states.insert(final_state(program, execution));
  }
  return states;
}

// --- Mazurkiewicz traces, without any code of the reductions ---

// What happened in one step: who did it, on which object, and with which value.
struct Event {
  std::uint32_t task;
  std::uint64_t object;  // 0: none
  bool writes;
  int value;

  bool depends_on(const Event& other) const {
    return task == other.task ||
           (object != 0 && object == other.object && (writes || other.writes));
  }
  auto key() const { return std::tuple(task, object, writes, value); }
};

inline std::uint64_t object_of(const Operation& operation, std::uint32_t task) {
  switch (operation.kind) {
    case Operation::lock:
    case Operation::unlock:
      return 100 + operation.argument;
    case Operation::send:
      return 200 + operation.argument;
    case Operation::receive:
      return 200 + task;
    case Operation::write:
    case Operation::read:
    case Operation::check:
      return 300 + operation.argument;
    default:
      return 0;
  }
}

inline std::vector<Event> events_of(const Program& program, const Schedule& schedule) {
  std::vector<Event> events;
  std::vector<std::size_t> next(program.size(), 0);
  for (const int decision : schedule) {
    if (decision < 0) {
      events.back().value = decision;
      continue;
    }
    const auto task = static_cast<std::uint32_t>(decision);
    const Operation& operation = program[task][next[task]++];
    events.push_back({task, object_of(operation, task), operation.kind != Operation::read, 0});
  }
  return events;
}

// The same for all executions of one trace: always the smallest event that nothing is before.
using Form = std::vector<std::tuple<std::uint32_t, std::uint64_t, bool, int>>;
inline Form normal_form(std::vector<Event> events) {
  Form form;
  while (!events.empty()) {
    auto best = events.begin();
    for (auto i = best + 1; i != events.end(); ++i) {
      const bool is_first = std::none_of(
          events.begin(), i, [i](const Event& earlier) { return i->depends_on(earlier); });
      if (is_first && i->key() < best->key()) best = i;
    }
    form.push_back(best->key());
    events.erase(best);
  }
  return form;
}

inline std::set<Form> traces_of(const Program& program, const std::vector<Execution>& executions) {
  std::set<Form> forms;
  for (const Execution& execution : executions) {
    forms.insert(normal_form(events_of(program, execution.schedule)));
  }
  return forms;
}

inline std::size_t count_traces(const Program& program, const std::vector<Execution>& executions) {
  return traces_of(program, executions).size();
}

// --- Programs ---

inline Operation random_operation(Random& random, std::uint32_t tasks) {
  switch (random.below(6)) {
    case 0:
      return {Operation::read, random.below(2)};
    case 1:
    case 2:
      return {Operation::write, random.below(2)};
    case 3:
      return {Operation::send, random.below(tasks)};
    case 4:
      return {Operation::choose, 2};
    default:
      return {Operation::step, 0};
  }
}

// Some operations under a lock, some not, and a receive now and then: some executions deadlock.
// With `more` the tasks are more and longer.
inline Program random_program(std::uint64_t seed, std::uint32_t more = 0) {
  Random random(seed);
  const std::uint32_t tasks = 2 + more + random.below(2);
  Program program(tasks);
  for (Task& task : program) {
    const std::uint32_t length = 1 + more + random.below(tasks == 2 ? 3 : 2);
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint32_t lock = random.below(3);
      if (lock < 2) task.push_back({Operation::lock, lock});
      task.push_back(random_operation(random, tasks));
      if (lock < 2) task.push_back({Operation::unlock, lock});
    }
    if (random.below(4) == 0) task.push_back({Operation::receive, 0});
  }
  return program;
}

// Two tasks take two locks in opposite order.
inline Program opposite_locks() {
  return {
      {{Operation::lock, 0}, {Operation::lock, 1}, {Operation::unlock, 1}, {Operation::unlock, 0}},
      {{Operation::lock, 1}, {Operation::lock, 0}, {Operation::unlock, 0}, {Operation::unlock, 1}}};
}

inline Program writers(std::uint32_t tasks) { return Program(tasks, {{Operation::write, 0}}); }

// A program and all of its executions.
struct Enumerated {
  Program program;
  std::vector<Execution> all;
};

inline std::vector<Enumerated> enumerate_programs() {
  std::vector<Enumerated> result;
  result.push_back({opposite_locks(), brute_force(opposite_locks())});
  result.push_back({critical_sections(3, 1), brute_force(critical_sections(3, 1))});
  constexpr std::size_t most = 1000;
  for (std::uint64_t seed = 0; result.size() < 100; ++seed) {
    Program program = random_program(seed);
    std::vector<Execution> all = brute_force(program, most + 1);
    if (all.size() <= most) result.push_back({std::move(program), std::move(all)});
  }
  return result;
}

// The same ones for all tests, enumerated once: that takes longer than most of the tests.
inline const std::vector<Enumerated>& enumerated_programs() {
  static const std::vector<Enumerated> programs = enumerate_programs();
  return programs;
}

// Those that the strategy has not given up.
inline std::vector<Execution> complete(std::vector<Execution> executions) {
  std::erase_if(executions, [](const Execution& execution) { return execution.given_up; });
  return executions;
}

class Reductions : public testing::Test {
 protected:
  // Calls check(program, all its executions) for every program.
  template <typename Check>
  void for_each_program(Check check) {
    const std::vector<Enumerated>& programs = enumerated_programs();
    for (std::size_t i = 0; i < programs.size(); ++i) {
      SCOPED_TRACE("program " + std::to_string(i));
      check(programs[i].program, programs[i].all);
    }
  }
};

}  // namespace ricercar::toy
