#include "nodes/task_names.h"

#include <string>

#include "base/error.h"

namespace ricercar::inline nodes {

TaskId TaskNames::number(const Key& key) {
  const auto next = task_id(static_cast<std::uint32_t>(numbers_.size()));
  const auto [found, is_new] = numbers_.try_emplace(key, next);
  if (is_new && numbers_.size() > max_tasks) {
    throw UsageError("more than " + std::to_string(max_tasks) +
                     " threads and connections in all executions: too many for this strategy. Try "
                     "--strategy random");
  }
  return found->second;
}

}  // namespace ricercar::inline nodes
