#include "report/variable_accesses.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/history.h"

namespace ricercar::inline report {

VariableAccesses::VariableAccesses(Names& names)
    : names_(names), unsaid_(names.recording(), names.symbols()) {
  const Array<RecordedEvent>& events = names.recording().events;
  const auto created = first_event(names.recording(), 0, events.size, [](const Step& step) {
    return step.kind == OperationKind::create;
  });
  first_creation_ = created.value_or(events.size);
  for (std::size_t i = 0; i < events.size; ++i) {
    const Step& step = events[i].step;
    if (!is_memory_access(step.kind) || names.is_library_data(step.object)) continue;
    by_key_[key_of(i)].push_back({i, step.task, reads_memory(step), writes_memory(step)});
  }
}

// All parts of a container are one, unless they are on a stack, where others follow them.
std::size_t VariableAccesses::key_of(std::size_t event) {
  const std::uint64_t address = names_.recording().events[event].step.object;
  const auto [known, is_new] = keys_.try_emplace(address, keys_.size());
  if (!is_new) return known->second;
  const ObjectName& name = unsaid_.object(address, event);
  const RecordedTask* owner = names_.owner_of_stack(address);
  if (!name.variable.is_internal) return known->second;
  const std::string text =
      fmt::format("{} {}", owner == nullptr ? 0 : index(owner->id) + 1, name.name);
  known->second = containers_.try_emplace(text, known->second).first->second;
  return known->second;
}

bool VariableAccesses::is_written_by_others(const std::vector<VariableAccess>& all,
                                            TaskId task) const {
  return std::any_of(all.begin(), all.end(), [&](const VariableAccess& access) {
    return access.writes && access.task != task && access.event > first_creation_;
  });
}

const VariableAccess* find_access(const std::vector<VariableAccess>& all, std::size_t from,
                                  std::size_t to,
                                  const std::function<bool(const VariableAccess&)>& is_wanted) {
  for (auto access = all.rbegin(); access != all.rend(); ++access) {
    if (access->event >= from && access->event < to && is_wanted(*access)) return &*access;
  }
  return nullptr;
}

}  // namespace ricercar::inline report
