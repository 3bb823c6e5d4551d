#include "machines/deploy/monitor_set.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "machines/monitor_run.h"

namespace ricercar::deploy {
namespace {

using detail::Event;

Failure failure_of(const detail::MachineType& type, std::string_view kind,
                   const std::string& message) {
  return {std::string(kind), "monitor " + std::string(type.name) + ": " + message,
          std::string(type.name), MachineId()};
}

}  // namespace

void MonitorSet::add(detail::ObjectRef monitor) {
  if (!monitor->type->is_monitor) {
    throw UsageError(std::string(monitor->type->name) +
                     " is no monitor: derive it from ricercar::Monitor, or use create()");
  }
  for (const std::uint32_t event : monitor->type->watched) {
    if (watched_.size() <= event) watched_.resize(event + 1);
    watched_[event] = true;
  }
  monitors_.push_back({std::move(monitor)});
}

std::vector<Failure> MonitorSet::start() {
  const std::lock_guard lock(mutex_);
  std::vector<Failure> found;
  for (Watcher& watcher : monitors_) {
    if (auto failure = run(watcher, nullptr)) found.push_back(std::move(*failure));
  }
  return found;
}

// An announced event is for the monitors whose state says something about it; a sent one for those
// that watch it, whether their state handles it or not.
bool MonitorSet::wants(const Watcher& watcher, std::uint32_t event, bool is_announced) {
  const std::vector<std::uint32_t>& watched = watcher.object->type->watched;
  if (std::find(watched.begin(), watched.end(), event) != watched.end()) return true;
  return is_announced &&
         machines::find_action(*watcher.object->type, watcher.stack, event).action != nullptr;
}

std::vector<Failure> MonitorSet::tell(const Event& event, bool is_announced) {
  std::vector<Failure> found;
  if (monitors_.empty()) return found;
  const std::lock_guard lock(mutex_);
  for (Watcher& watcher : monitors_) {
    if (watcher.over || !wants(watcher, event->type->number, is_announced)) continue;
    if (auto failure = run(watcher, &event)) found.push_back(std::move(*failure));
  }
  return found;
}

// Without an event: enters the first state.
std::optional<Failure> MonitorSet::run(Watcher& watcher, const Event* event) {
  const detail::MachineType& type = *watcher.object->type;
  watcher.over = true;
  try {
    machines::MonitorRun run(type, watcher.object->variables, watcher.stack);
    if (!(event == nullptr ? run.start() : run.handle(*event))) {
      return failure_of(type, info(run.kind()).name, run.message());
    }
  } catch (const UsageError& error) {
    return failure_of(type, "usage", error.what());
  }
  watcher.over = false;
  return {};
}

std::vector<Failure> MonitorSet::owed() const {
  const std::lock_guard lock(mutex_);
  std::vector<Failure> found;
  for (const Watcher& watcher : monitors_) {
    if (watcher.over || watcher.stack.empty()) continue;
    const detail::MachineType& type = *watcher.object->type;
    const detail::StateInfo& state = type.states[watcher.stack.back()];
    if (!state.hot) continue;
    found.push_back(failure_of(type, "property",
                               "is in its hot state " + std::string(state.name) + " at the end"));
  }
  return found;
}

}  // namespace ricercar::deploy
