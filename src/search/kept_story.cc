#include "search/kept_story.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/search_heap.h"

namespace ricercar::inline search {
namespace {

std::array<const char**, 2> texts_of(RecordedAct& act) { return {&act.event, &act.state}; }
std::array<const char**, 4> texts_of(RecordedMachine& machine) {
  return {&machine.name, &machine.state, &machine.variables, &machine.waiting};
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
  recording.properties = shared_array(properties_);
  recording.checks = shared_array(checks_);
  recording.blocks = shared_array(blocks_);
}

}  // namespace ricercar::inline search
