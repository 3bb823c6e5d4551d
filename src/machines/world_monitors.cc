// What the world of machines does for monitors: events, hot states, fair cycles; and fingerprints.
#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "machines/activation.h"
#include "machines/monitor_run.h"
#include "machines/world.h"
#include "model/dependence.h"

namespace ricercar::machines {

void World::tell_monitors(const Event& event, bool announced) {
  for (std::uint32_t i = 0; i < monitors_.size(); ++i) {
    const MachineType& type = *monitors_[i]->type;
    const std::uint32_t number = event->type->number;
    const bool watches =
        std::find(type.watched.begin(), type.watched.end(), number) != type.watched.end();
    if (!announced && !watches) continue;
    if (find_action(type, monitors_[i]->stack, number).action == nullptr) {
      if (watches) tell_monitor(i, event);  // it asked for it: unhandled is a bug
      continue;
    }
    tell_monitor(i, event);
    if (over_) return;
  }
}

void World::tell_monitor(std::uint32_t monitor, const Event& event) {
  Cell& cell = own_monitor(monitor);
  note(OperationKind::announce, trace_.empty() ? 0 : index(trace_.back().task),
       objects::queue(max_tasks + 1 + monitor), 0);
  cell.object = cell.type->clone(*cell.object);
  cell.object_is_hashed = false;
  MonitorRun run(*cell.type, cell.object->variables, cell.stack);
  if (!run.handle(event))
    fail(OutcomeKind::property, "monitor " + std::string(cell.type->name) + ": " + run.message(),
         no_task);
}

bool World::is_hot() const {
  for (const Cell* cell : monitors_.all()) {
    if (cell->type->states[cell->stack.back()].hot) return true;
  }
  return false;
}

std::string World::hot_monitor() const {
  for (const Cell* cell : monitors_.all()) {
    const detail::StateInfo& state = cell->type->states[cell->stack.back()];
    if (state.hot)
      return "monitor " + std::string(cell->type->name) + " is in its hot state " +
             std::string(state.name);
  }
  return {};
}

Fingerprint World::fingerprint() const {
  if (system_.symmetric.empty()) return {sum_.low ^ cells_.size(), sum_.high};
  return symmetric_fingerprint(system_.symmetric, cells_.all(), monitors_.all());
}

// A state that comes back with a monitor hot all the way is a cycle that may go on for ever. It
// counts if it is fair: who could always go on in it did so at least once (weak fairness).
void World::look_for_cycle() {
  if (!is_hot()) {
    if (hot_.empty()) return;
    hot_.clear();
    hot_index_.clear();
    return;
  }
  const HotState now{fingerprint(), enabled_.first_word(), trace_.size()};
  const auto [found, is_new] = hot_index_.try_emplace(now.fingerprint.low, hot_.size());
  if (!is_new && hot_[found->second].fingerprint == now.fingerprint && is_fair(found->second)) {
    cycle_ = now.steps - hot_[found->second].steps;
    return fail(OutcomeKind::property,
                hot_monitor() + " for ever: the last " + std::to_string(cycle_) +
                    " steps can be repeated without end",
                no_task);
  }
  found->second = hot_.size();
  hot_.push_back(now);
}

// The cycle from a hot state to now.
bool World::is_fair(std::size_t from) const {
  if (cells_.size() > 64) return false;
  std::uint64_t starved = ~std::uint64_t{0};
  for (std::size_t i = from; i < hot_.size(); ++i) starved &= hot_[i].enabled;
  for (std::size_t i = hot_[from].steps; i < trace_.size(); ++i) {
    starved &= ~(std::uint64_t{1} << index(trace_[i].task));
  }
  return starved == 0;
}

}  // namespace ricercar::machines
