// What learning and guiding cost.
#pragma once

#include <string>

#include "suites/search.h"

namespace ricercar::bench {

std::string cost_table(const Searcher& searcher);

}  // namespace ricercar::bench
