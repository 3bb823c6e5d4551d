// The rows of Table 1 and their sizes, which a rule fixes before anything is searched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suites/search.h"

namespace ricercar::bench {

// The rule. The arguments of a row are those with which the README of its program describes the
// bug. What makes the program longer grows by tens from there, until the median of eleven random
// executions of the correct version has so many steps.
inline constexpr std::uint64_t wanted_steps = 2500;
inline constexpr int most_tens = 40;
// A row is counted if that median has so many steps at least ...
inline constexpr std::uint64_t least_steps = 1500;
// ... and random search needs so many executions (the median of its seeds).
inline constexpr std::uint64_t least_executions = 200;

struct Bug {
  std::string row;
  std::string program;
  std::vector<std::string> lengths;    // the names of the arguments that make it longer
  std::vector<std::string> arguments;  // with the size that the rule gives, once it is fixed
  std::vector<std::string> paper;  // the figures of the paper's row of this name, if there is one
  std::uint64_t steps = 0;         // of the correct version, the median

  // "bulk=120": the arguments that the rule has fixed.
  std::string size() const;
};

// From bugs.txt and paper.txt in that folder.
std::vector<Bug> read_bugs(const std::string& suite);

// Throws if the correct version shows a bug.
void fix_size(const Searcher& searcher, Bug& bug);

}  // namespace ricercar::bench
