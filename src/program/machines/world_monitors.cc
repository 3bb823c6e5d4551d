// What the world of machines does for monitors: events, hot states, fair cycles; and fingerprints.
#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "machines/activation.h"
#include "machines/monitor_run.h"
#include "machines/world.h"
#include "model/dependence.h"

namespace ricercar::machines {

namespace {

constexpr std::size_t never = ~std::size_t{0};

std::string hot_state(const Cell& monitor) {
  return "monitor " + std::string(monitor.type->name) + " is in its hot state " +
         std::string(monitor.type->states[monitor.stack.back()].name);
}

bool handles_somewhere(const MachineType& type, std::uint32_t event) {
  return std::any_of(type.states.begin(), type.states.end(),
                     [event](const auto& state) { return state.action_for(event) != nullptr; });
}

}  // namespace

// A monitor sees what it watches, and of what is announced what one of its states handles. That
// another state would not is no mistake, unless it watches the event.
void World::tell_monitors(const Event& event, bool announced) {
  const std::uint32_t number = event->type->number;
  for (std::uint32_t i = 0; i < monitors_.size() && !over_; ++i) {
    const MachineType& type = *monitors_[i]->type;
    const bool watches =
        std::find(type.watched.begin(), type.watched.end(), number) != type.watched.end();
    if (!watches && !(announced && handles_somewhere(type, number))) continue;
    // Its state decides what becomes of the event: also of one that it does not handle.
    note(OperationKind::announce, trace_.empty() ? 0 : index(trace_.back().task),
         objects::queue(max_tasks + 1 + i), 0);
    if (watches || find_action(type, monitors_[i]->stack, number).action != nullptr) {
      tell_monitor(i, event);
    }
  }
}

void World::tell_monitor(std::uint32_t monitor, const Event& event) {
  Cell& cell = own_monitor(monitor);
  const bool may_know = known_ && story_ == nullptr;
  if (may_know) cell.hash_object();
  if (!may_know || !KnownHandlers::is_exact(cell, event)) {
    run_monitor(cell, event);
  } else {
    const Hash key = KnownHandlers::key(max_tasks + monitor, cell, event);
    if (const KnownHandler* known = known_->find(key)) {
      known->put_into(cell);
    } else {
      run_monitor(cell, event);
      cell.hash_object();
      if (!over_) known_->add_result(key, cell);
    }
  }
  // Also if it is hot again before the next state.
  if (monitor < hot_since_.size() && !cell.type->states[cell.stack.back()].hot)
    hot_since_[monitor] = never;
}

void World::run_monitor(Cell& cell, const Event& event) {
  cell.object = cell.type->clone(*cell.object);
  cell.object_is_hashed = false;
  MonitorRun run(*cell.type, cell.object->variables, cell.stack);
  if (!run.handle(event))
    fail(run.kind(), "monitor " + std::string(cell.type->name) + ": " + run.message(), no_task);
}

std::string World::hot_monitor() const {
  for (const Cell* cell : monitors_.all()) {
    if (cell->type->states[cell->stack.back()].hot) return hot_state(*cell);
  }
  return {};
}

std::uint64_t World::hot_monitors(std::size_t steps) const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < hot_since_.size() && i < 64; ++i) {
    const bool is_hot = hot_since_[i] != never && hot_since_[i] + steps < hot_.size();
    if (is_hot) bits |= std::uint64_t{1} << i;
  }
  return bits;
}

Fingerprint World::fingerprint() const {
  if (system_.symmetric.empty()) return {sum_.low ^ cells_.size(), sum_.high};
  return symmetric_fingerprint(system_.symmetric, cells_.all(), monitors_.all());
}

// A state that comes back with a monitor hot all the way is a cycle that may go on for ever. It
// counts if it is fair: who could always go on in it did so at least once (weak fairness). A longer
// cycle through the same state is fair if a shorter one is; the shortest fair one is reported.
void World::look_for_cycle() {
  const std::size_t hot_from = heat_up();
  if (hot_from == never) return forget_hot_states();
  const HotState now{fingerprint(), trace_.size()};
  serve(hot_.empty() ? now.steps : hot_.back().steps);
  const std::size_t first = std::max(first_like(now.fingerprint), hot_from);
  if (first < hot_.size()) {
    const std::size_t fair = *std::min_element(served_.begin(), served_.end());
    for (std::size_t i = std::min(fair, hot_.size()); i-- > first;) {
      if (hot_[i].fingerprint == now.fingerprint) return fail_for_ever(i, now.steps);
    }
  }
  hot_.push_back(now);
}

void World::forget_hot_states() {
  hot_.clear();
  served_.clear();
  if (!hot_index_.empty()) hot_index_.clear();
}

// Looked for one by one while they are few. If there is none: the number of hot states.
std::size_t World::first_like(const Fingerprint& state) {
  constexpr std::size_t few = 64;
  const std::size_t count = hot_.size();
  if (count < few) {
    std::size_t first = 0;
    while (first < count && hot_[first].fingerprint.low != state.low) ++first;
    return first;
  }
  if (count == few) {
    for (std::size_t i = 0; i < few; ++i) hot_index_.try_emplace(hot_[i].fingerprint.low, i);
  }
  return hot_index_.try_emplace(state.low, count).first->second;
}

// Since which hot state each monitor has been hot, without a break; the least of them.
std::size_t World::heat_up() {
  std::size_t least = never;
  hot_since_.resize(monitors_.size(), never);
  for (std::uint32_t i = 0; i < monitors_.size(); ++i) {
    const Cell& cell = *monitors_[i];
    if (!cell.type->states[cell.stack.back()].hot) {
      hot_since_[i] = never;
    } else if (hot_since_[i] == never) {
      hot_since_[i] = hot_.size();
    }
    least = std::min(least, hot_since_[i]);
  }
  return least;
}

void World::fail_for_ever(std::size_t from, std::size_t steps) {
  cycle_ = steps - hot_[from].steps;
  const auto hot = std::find_if(hot_since_.begin(), hot_since_.end(),
                                [from](std::size_t since) { return since <= from; });
  fail(OutcomeKind::property,
       hot_state(*monitors_[static_cast<std::uint32_t>(hot - hot_since_.begin())]) +
           " forever: the last " + std::to_string(cycle_) + " steps can be repeated without end",
       no_task);
}

// Brings up to date who has run or could not: in the new state, and since the last one.
void World::serve(std::size_t first_step) {
  const std::size_t known = hot_.size();
  served_.resize(cells_.size(), known);
  for (std::size_t i = first_step; i < trace_.size(); ++i) served_[index(trace_[i].task)] = known;
  for (std::uint32_t i = 0; i < served_.size(); ++i) {
    if (!enabled_.contains(task_id(i))) served_[i] = known + 1;
  }
}

}  // namespace ricercar::machines
