#include "nodes/named_values.h"

#include <fmt/format.h>

#include <algorithm>

namespace ricercar::inline nodes {

NamedValue::NamedValue(const ricercar_value& value) : value_(value) {
  if (value.kind != RICERCAR_TEXT) return;
  text_.assign(value.as.text, value.size);
  value_.as.text = text_.c_str();
}

std::string NamedValue::words() const {
  switch (value_.kind) {
    case RICERCAR_INTEGER:
      return fmt::format("{}", value_.as.integer);
    case RICERCAR_UNSIGNED:
      return fmt::format("{}", value_.as.natural);
    case RICERCAR_NUMBER:
      return fmt::format("{}", value_.as.number);
    case RICERCAR_BOOLEAN:
      return value_.as.natural != 0 ? "true" : "false";
    default:
      return "\"" + text_ + "\"";
  }
}

// How it was before, unless that is known already.
void NamedValues::keep(const Key& key) {
  if (before_.contains(key)) return;
  const auto found = values_.find(key);
  auto& before = before_.try_emplace(key).first->second;
  if (found != values_.end()) before.emplace(found->second);
}

void NamedValues::set(std::uint32_t node, const std::string& name, const ricercar_value& value) {
  const Key key{node, name};
  keep(key);
  values_.erase(key);
  values_.try_emplace(key, value);
}

void NamedValues::forget(std::uint32_t node, const std::string& name) {
  keep({node, name});
  values_.erase({node, name});
}

void NamedValues::forget_all(std::uint32_t node) {
  for (const auto& [key, value] : values_) {
    if (key.first == node) keep(key);
  }
  std::erase_if(values_, [node](const auto& each) { return each.first.first == node; });
}

const NamedValue* NamedValues::find(std::uint32_t node, const std::string& name) const {
  const auto found = values_.find({node, name});
  return found == values_.end() ? nullptr : &found->second;
}

const NamedValue* NamedValues::find_before(std::uint32_t node, const std::string& name) const {
  const auto changed = before_.find({node, name});
  if (changed == before_.end()) return find(node, name);
  return changed->second ? &*changed->second : nullptr;
}

std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> all;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const std::size_t first = std::min(names.find_first_not_of(' '), end);
    const std::size_t behind = names.substr(0, end).find_last_not_of(' ') + 1;
    all.emplace_back(names.substr(first, std::max(behind, first) - first));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return all;
}

}  // namespace ricercar::inline nodes
