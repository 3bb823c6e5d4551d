// Where a replay left its schedule, in words.
#pragma once

#include <string>

#include "report/symbols.h"

namespace ricercar::inline report {

struct DivergenceText {
  std::string expected;  // "T1 locks queue.mutex_ at queue.cc:12"
  std::string found;
};

DivergenceText divergence_text(const Recording& recording, Symbols& symbols);

}  // namespace ricercar::inline report
