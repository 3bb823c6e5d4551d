#include "nodes/task_names.h"

#include <string>

#include "base/error.h"

namespace ricercar::inline nodes {

// The first threads of all nodes, then their first links, then the second ones; the very first
// thread is the first task, as everywhere. Of the links those of clients come first, who begin.
TaskId TaskNames::number(const Key& key) {
  if (nodes_ == 0) return number_by_order(key);
  const auto [kind, node, own] = key;
  if (kind == kind_injector) return task_id(first_seen - 1);
  const bool is_link = kind == kind_link;
  const std::uint64_t round = 2 * std::uint64_t{own} + (is_link ? 1 : 0);
  const std::uint64_t fixed = round * nodes_ + (is_link ? nodes_ - 1 - node : node);
  return fixed + 1 < first_seen ? task_id(static_cast<std::uint32_t>(fixed)) : number_by_order(key);
}

TaskId TaskNames::number_by_order(const Key& key) {
  const std::uint32_t first = nodes_ == 0 ? 0 : first_seen;
  const auto next = task_id(first + static_cast<std::uint32_t>(numbers_.size()));
  const auto [found, is_new] = numbers_.try_emplace(key, next);
  if (is_new && first + numbers_.size() > max_tasks) {
    throw UsageError("more than " + std::to_string(max_tasks) +
                     " threads and connections in all executions: too many for this strategy. Try "
                     "--strategy random");
  }
  return found->second;
}

}  // namespace ricercar::inline nodes
