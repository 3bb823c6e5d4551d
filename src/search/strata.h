// What a search with strata shows of them.
#pragma once

#include <algorithm>

#include "search/control.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {

inline void note_strata(Control& control, const Strategy& strategy) {
  const std::vector<Stratum> strata = strata_of(strategy);
  control.stratum_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(strata.size(), Control::most_strata));
  std::copy(strata.end() - control.stratum_count, strata.end(), control.strata);
}

}  // namespace ricercar::inline search
