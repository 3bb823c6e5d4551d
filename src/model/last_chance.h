// Until when the failure of an execution could still be avoided, as far as a search among its
// continuations has found out.
#pragma once

#include <cstdint>

#include "model/fields.h"

namespace ricercar::inline model {

// An execution parts from the failing one at the first decision that is another one there.
struct LastChance {
  // An execution passes that parts at the decision which became this step of the failing one.
  // False: none was found, wherever it parts.
  bool passes = false;
  std::uint64_t step = 0;  // its index in the trace
  // Switches from one task to another that only one of the two executions has.
  std::uint64_t differences = 0;
  std::uint64_t executions = 0;  // that were tried, the failing one itself not counted
  std::uint64_t later = 0;       // of these, that part later; none of them passes
  bool is_complete = false;      // there are no others that part later

  static constexpr auto fields() {
    return std::tuple(Field{"passes", &LastChance::passes}, Field{"step", &LastChance::step},
                      Field{"differences", &LastChance::differences},
                      Field{"executions", &LastChance::executions},
                      Field{"later", &LastChance::later},
                      Field{"complete", &LastChance::is_complete});
  }
};
static_assert(names_all_fields<LastChance>);

}  // namespace ricercar::inline model
