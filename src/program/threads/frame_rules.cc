#include "threads/frame_rules.h"

#include <algorithm>

#include "threads/own_code.h"

namespace ricercar::inline threads {
namespace {

int add_range(dl_phdr_info* object, std::size_t, void* ranges) {
  static_cast<std::vector<AddressRange>*>(ranges)->push_back(range_of(*object));
  return 0;
}

}  // namespace

void FrameRules::forget() {
  recent_.assign(recent_.size(), {});
  rules_.clear();
  for (auto& [start, function] : functions_) function.announces_entry = false;
  libraries_.clear();
  seen_closed_ = closed_libraries;
}

const FrameRules::Rule* FrameRules::look_up(std::uint64_t place) {
  if (seen_closed_ != closed_libraries) forget();
  const auto [known, is_new] = rules_.try_emplace(place);
  if (is_new) known->second = read(place);
  const Rule rule = known->second;
  // Code that is in no library may be replaced at any time.
  if (rule.place == 0) rules_.erase(known);
  if (rule.code == nullptr) return nullptr;
  return &(recent_[slot_of(place)] = rule);
}

FrameRules::Rule FrameRules::read(std::uint64_t place) {
  Rule rule;
  if (!is_in_library(place)) return rule;
  rule.place = place;
  if (const std::optional<UnwindRule> found = find_unwind_rule(place)) {
    static_cast<UnwindRule&>(rule) = *found;
    rule.code = &functions_[found->function];
  }
  return rule;
}

bool FrameRules::is_in_library(std::uint64_t place) {
  const auto is_known = [&] {
    return std::any_of(libraries_.begin(), libraries_.end(),
                       [&](const AddressRange& range) { return range.contains(place); });
  };
  if (is_known()) return true;
  libraries_.clear();
  dl_iterate_phdr(add_range, &libraries_);
  return is_known();
}

}  // namespace ricercar::inline threads
