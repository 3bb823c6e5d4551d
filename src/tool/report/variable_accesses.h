// The accesses of a recording by the variable that they are of. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/names.h"

namespace ricercar::inline report {

struct VariableAccess {
  std::size_t event;
  TaskId task;
  bool reads;
  bool writes;
};

// Memory is the same if it is one variable: all parts of a container are.
class VariableAccesses {
 public:
  explicit VariableAccesses(Names& names);

  // The number of what an event accesses.
  std::size_t key_of(std::size_t event);
  // All accesses of it, in their order; empty: it is the library's own.
  const std::vector<VariableAccess>& of(std::size_t event) { return by_key_[key_of(event)]; }
  const std::map<std::size_t, std::vector<VariableAccess>>& all() const { return by_key_; }
  // The first event that creates a thread; the number of events: none does.
  std::size_t first_creation() const { return first_creation_; }
  // Others than the task write it, too.
  bool is_written_by_others(const std::vector<VariableAccess>& all, TaskId task) const;
  // A name that is not said: blocks are numbered when they are first named.
  Names& unsaid() { return unsaid_; }

 private:
  Names& names_;
  Names unsaid_;
  std::size_t first_creation_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> keys_;  // by the address
  std::map<std::string, std::size_t> containers_;
  std::map<std::size_t, std::vector<VariableAccess>> by_key_;
};

// The last one in [from, to) of which that is true; null: there is none.
const VariableAccess* find_access(const std::vector<VariableAccess>& all, std::size_t from,
                                  std::size_t to,
                                  const std::function<bool(const VariableAccess&)>& is_wanted);

}  // namespace ricercar::inline report
