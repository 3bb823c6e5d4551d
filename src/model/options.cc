#include "model/options.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/nearest.h"

namespace ricercar::inline model {

Points points_by_name(std::string_view name) {
  const auto found = std::find(point_names.begin(), point_names.end(), name);
  if (found != point_names.end()) return static_cast<Points>(found - point_names.begin());
  throw UsageError("there are no choice points '" + std::string(name) + "'" +
                   did_you_mean(name, point_names) +
                   "; there are sync, atomic, racy, shared and memory");
}

StrategyText strategy_text(std::string_view specification) {
  if (specification.size() <= StrategyText::room) return specification;
  throw UsageError("the strategy specification is too long");
}

}  // namespace ricercar::inline model
