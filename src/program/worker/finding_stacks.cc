#include "worker/finding_stacks.h"

#include <set>
#include <utility>

#include "base/random.h"
#include "strategy/hapset/statements.h"
#include "threads/calls.h"
#include "threads/execution.h"

namespace ricercar::inline worker {

void FindingStacks::add(std::uint64_t site, ContextId context) {
  if (site != 0) addresses.push_back(site);
  for (const std::uint64_t call : program_state.call_listeners.contexts()->calls(context))
    addresses.push_back(call);
  ends.push_back(static_cast<std::uint32_t>(addresses.size()));
}

FindingStacks stacks_of(const Outcome& finding) {
  FindingStacks stacks;
  const auto task_count = execution.tasks.count();
  const bool is_livelock = finding.kind == OutcomeKind::livelock;
  if (finding.kind == OutcomeKind::deadlock || is_livelock) {
    for (std::uint32_t i = 0; i < task_count; ++i) {
      const Task& task = execution.tasks[task_id(i)];
      const bool is_stuck = is_livelock || execution.turns.is_blocked(task.id);
      if (task.state != TaskState::live || !is_stuck) continue;
      stacks.add(execution.tasks.pending(task.id).site, task.context);
    }
    return stacks;
  }
  const bool has_task = index(finding.task) < task_count;
  const ContextId outermost = CallContexts::outermost;
  if (finding.kind == OutcomeKind::leak && has_task) {
    stacks.add(finding.site, execution.tasks[finding.task].creation_context);
    return stacks;
  }
  stacks.add(finding.site, has_task ? execution.tasks[finding.task].context : outermost);
  if (finding.kind == OutcomeKind::data_race) {
    stacks.add(finding.other_site, static_cast<ContextId>(finding.other_event));
  }
  return stacks;
}

// Two joins in one function of main may have the same stack: what is between it and the C library's
// function announces no entry.
FindingStacks identifying_stacks_of(const Outcome& finding) {
  FindingStacks stacks = stacks_of(finding);
  if (finding.kind != OutcomeKind::deadlock) return stacks;
  for (std::uint32_t i = 0; i < execution.tasks.count(); ++i) {
    const TaskId id = task_id(i);
    const Operation& pending = execution.tasks.pending(id);
    const bool joins = pending.kind == OperationKind::join && execution.turns.is_blocked(id) &&
                       execution.tasks[id].state == TaskState::live;
    if (!joins || pending.object >= execution.tasks.count()) continue;
    const Task& joined = execution.tasks[task_id(static_cast<std::uint32_t>(pending.object))];
    stacks.add(joined.creation_site, joined.creation_context);
  }
  return stacks;
}

std::vector<FindingStacks> stacks_of_round(Trace round) {
  std::vector<FindingStacks> all;
  const std::size_t first = execution.steps.size() - round.size();
  execution.tasks.for_each_live([&](const Task& task) {
    std::set<std::pair<std::uint64_t, ContextId>> places;
    for (std::size_t i = 0; i < round.size(); ++i) {
      if (round[i].task != task.id) continue;
      places.insert({round[i].site, execution.accesses.contexts[first + i]});
    }
    if (places.empty()) places.insert({execution.tasks.pending(task.id).site, task.context});
    FindingStacks& stacks = all.emplace_back();
    for (const auto& [site, context] : places) stacks.add(site, context);
  });
  return all;
}

namespace {

std::uint64_t number_of(std::span<const std::uint64_t> stack) {
  std::uint64_t number = stack.size();
  for (const std::uint64_t address : stack) number = mix64(number ^ address);
  return number;
}

std::uint64_t users_place(std::span<const std::uint64_t> stack) {
  if (find_places == nullptr || stack.empty()) return number_of(stack);
  for (const std::uint64_t place : find_places(stack).places) {
    if ((place & foreign_place) == 0) return place;
  }
  return number_of(stack);
}

}  // namespace

const std::vector<std::uint64_t>& UsersPlaces::of(const FindingStacks& stacks) {
  const auto [known, is_new] = known_.try_emplace(stacks);
  if (!is_new) return known->second;
  const std::span<const std::uint64_t> all(stacks.addresses);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : stacks.ends) {
    known->second.push_back(users_place(all.subspan(begin, end - begin)));
    begin = end;
  }
  return known->second;
}

}  // namespace ricercar::inline worker
