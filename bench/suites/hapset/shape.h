// Whether a row of a table has the paper's shape.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "suites/hapset/planted_bugs.h"
#include "suites/hapset/results.h"

namespace ricercar::bench {

// `yes`, or what differs, in bold: who finds the bug here and not there, or the other way round,
// and who needs no more runs than Algorithm 5 here, but more there.
std::string shape(const PlantedBug& bug, const std::vector<Search>& searches,
                  const std::function<Measured(const Search&)>& measure);

// The paper's own figure behind a semicolon; empty: it has none.
std::string paper_text(const PlantedBug& bug, const Search& search);

}  // namespace ricercar::bench
