#include "report/detail_builder.h"

#include <algorithm>

namespace ricercar::inline report {

void DetailBuilder::link(LinkKind kind, std::optional<std::size_t> from,
                         std::optional<std::size_t> to) {
  if (!from || !to || *from >= *to || !linked_.emplace(*from, *to).second) return;
  detail_.links.push_back({kind, *from, *to});
}

void DetailBuilder::set(const EntryKey& key, const std::string& name, const std::string& value) {
  const auto [entry, is_new] = entries_.try_emplace(key, detail_.entries.size());
  if (is_new) {
    detail_.entries.push_back({key.first, name});
    values_.emplace_back();
  }
  std::string& known = values_[entry->second];
  if (!is_new && known == value) return;
  known = value;
  detail_.changes.push_back({step_, entry->second, value});
}

void DetailBuilder::take(TaskId lane, std::uint64_t key, const std::string& object,
                         bool is_shared) {
  held_.try_emplace({lane, key}, ReportHolding{lane, object, is_shared, step_, step_});
}

void DetailBuilder::give(TaskId lane, std::uint64_t key) {
  const auto found = held_.find({lane, key});
  if (found == held_.end()) return;
  found->second.to = step_;
  detail_.holdings.push_back(found->second);
  held_.erase(found);
}

ReportDetail DetailBuilder::finish(std::size_t steps) {
  for (auto& [key, holding] : held_) {
    holding.to = steps;
    detail_.holdings.push_back(holding);
  }
  std::stable_sort(detail_.holdings.begin(), detail_.holdings.end(),
                   [](const auto& a, const auto& b) { return a.from < b.from; });
  return std::move(detail_);
}

}  // namespace ricercar::inline report
