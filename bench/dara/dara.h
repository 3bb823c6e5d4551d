// The benchmark of nodes: what its parts share. Each part makes the text of one section of
// docs/BENCHMARKS.md; plots go beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dara/chart.h"

namespace ricercar::bench {

struct DaraSetup {
  std::string tool;
  std::filesystem::path suite;     // the sources of the planted bugs: bugs.txt
  std::filesystem::path clusters;  // what was built of them
  std::filesystem::path programs;  // of this benchmark
  std::filesystem::path work;      // for what it makes
  std::filesystem::path docs;
  int seeds = 20;                 // of the table of bugs
  bool searches = true;           // false: the table has only what was searched before
  std::vector<std::string> only;  // SYSTEM or SYSTEM:BUG in the table of bugs; empty: all
};

// The thesis's Figures 6.5, 6.6 and 6.16: what strategies find, reach and cost.
std::string strategy_figures(const DaraSetup& setup);
// Figures 6.8 to 6.14: what watching costs.
std::string cost_figures(const DaraSetup& setup);
// Figures 6.7 and 6.15, and how fast clusters are searched.
std::string speed_figures(const DaraSetup& setup);
// The planted bugs of the suite. What was searched is kept in a file, so that it can go on later.
std::string bug_table(const DaraSetup& setup);

}  // namespace ricercar::bench
