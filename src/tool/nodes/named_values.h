// The values that the nodes of a cluster have reported, by node and name, as they are now.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/reports.h"

namespace ricercar::inline nodes {

// Keeps its own copy of a text.
class NamedValue {
 public:
  explicit NamedValue(const ricercar_value& value);
  NamedValue(const NamedValue& other) : NamedValue(other.get()) {}
  NamedValue& operator=(const NamedValue&) = delete;

  const ricercar_value& get() const { return value_; }
  // As a reader would write it: 3, 0.5, true, "text".
  std::string words() const;

 private:
  std::string text_;
  ricercar_value value_;
};

class NamedValues {
 public:
  void clear() { values_.clear(), before_.clear(); }
  void set(std::uint32_t node, const std::string& name, const ricercar_value& value);
  void forget(std::uint32_t node, const std::string& name);
  void forget_all(std::uint32_t node);
  // What is there now is what was before, from now on.
  void settle() { before_.clear(); }
  // Null: the node has none of that name.
  const NamedValue* find(std::uint32_t node, const std::string& name) const;
  // The same, when `settle` was called last.
  const NamedValue* find_before(std::uint32_t node, const std::string& name) const;

 private:
  using Key = std::pair<std::uint32_t, std::string>;

  void keep(const Key& key);

  std::map<Key, NamedValue> values_;
  std::map<Key, std::optional<NamedValue>> before_;  // of those that have changed
};

// "index, term": one after the other, without the spaces.
std::vector<std::string> split_names(std::string_view names);

}  // namespace ricercar::inline nodes
