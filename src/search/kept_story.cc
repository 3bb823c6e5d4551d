#include "search/kept_story.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/search_heap.h"

namespace ricercar::inline search {
namespace {

std::array<const char**, 2> texts_of(RecordedAct& act) { return {&act.event, &act.state}; }
std::array<const char**, 4> texts_of(RecordedMachine& machine) {
  return {&machine.name, &machine.state, &machine.variables, &machine.waiting};
}

std::array<const char**, 2> texts_of(RecordedCondition& condition) {
  return {&condition.state, &condition.variables};
}

std::array<const char**, 2> texts_of(RecordedProperty& property) {
  return {&property.name, &property.kind};
}
std::array<const char**, 0> texts_of(RecordedCheck&) { return {}; }

std::array<const char**, 1> texts_of(RecordedBlock& block) { return {&block.module}; }

const char* shared_text(const char* text) {
  const std::size_t size = std::strlen(text) + 1;
  return std::copy_n(text, size, search_allocate_array<char>(size)) - size;
}

template <typename T>
Array<T> shared_array(const std::vector<T>& from) {
  Array<T> result{search_allocate_array<T>(from.size()), from.size()};
  std::copy(from.begin(), from.end(), result.data);
  for (T& each : result) {
    for (const char** text : texts_of(each)) *text = shared_text(*text);
  }
  return result;
}

}  // namespace

void KeptStory::add(RecordedAct act) {
  for (const char** text : texts_of(act)) keep(*text);
  acts_.push_back(act);
}

void KeptStory::add(RecordedMachine machine) {
  for (const char** text : texts_of(machine)) keep(*text);
  machines_.push_back(machine);
}

// Variables may be large, and executions long: then it is said that they are not told any more.
void KeptStory::add(RecordedCondition condition) {
  constexpr std::size_t most_bytes = std::size_t{32} << 20;
  if (condition_bytes_ > most_bytes) {
    condition.state = "";
    condition.variables = "(not recorded from here on)";
  }
  const std::string_view state = condition.state;
  const std::string_view variables = condition.variables;
  const auto [last, is_first] = last_conditions_.try_emplace(condition.machine, conditions_.size());
  if (!is_first) {
    const RecordedCondition& before = conditions_[last->second];
    if (state == before.state && variables == before.variables) return;
    last->second = conditions_.size();
  }
  condition_bytes_ += state.size() + variables.size();
  condition.acts = acts_.size();
  for (const char** text : texts_of(condition)) keep(*text);
  conditions_.push_back(condition);
}

void KeptStory::add(RecordedProperty property) {
  for (const char** text : texts_of(property)) keep(*text);
  properties_.push_back(property);
}

void KeptStory::add(RecordedBlock block) {
  for (const char** text : texts_of(block)) keep(*text);
  blocks_.push_back(block);
}

void KeptStory::copy_to(Recording& recording) const {
  recording.acts = shared_array(acts_);
  recording.machines = shared_array(machines_);
  recording.conditions = shared_array(conditions_);
  recording.properties = shared_array(properties_);
  recording.checks = shared_array(checks_);
  recording.blocks = shared_array(blocks_);
}

}  // namespace ricercar::inline search
