// The searches that the tables compare, and how a cell shows what came of one.
#pragma once

#include <string>

#include "suites/hapset/results.h"

namespace ricercar::bench {

inline constexpr int seeds_of_samplers = 5;

inline const Search algorithm5{"HaPSet, Algorithm 5", "hapset:prune=yes", 0};
inline const Search asking_again{"HaPSet, asking again", "hapset:prune=yes,replan=yes"};
inline const Search pruned_first{"then what was left out", "hapset"};
inline const Search unpruned{"HaPSet as a priority", "hapset:prune=no"};
inline const Search pruned_pb{"HaPSet, PCB2", "hapset:prune=yes,base=pb,bound=2"};
inline const Search dpor{"DPOR", "dpor", 1};
inline const Search pcb[] = {{"PCB0", "pb:bound=0,iterative=no", 2},
                             {"PCB1", "pb:bound=1,iterative=no", 3},
                             {"PCB2", "pb:bound=2,iterative=no", 4},
                             {"PCB3", "pb:bound=3,iterative=no", 5},
                             {"PCB4", "pb:bound=4,iterative=no", 6}};
inline const Search random_runs{"random", "random", -1, seeds_of_samplers};
inline const Search pct_runs{"PCT", "pct", -1, seeds_of_samplers};

std::string format(const char* pattern, double value);

// Runs until the bug, and seconds; in bold where it was found. `limit`: of a search, in seconds.
std::string cell(const Measured& measured, double limit);

// The heads of these columns with the line below, behind what the table begins with.
std::string heads(const std::string& first, const std::vector<Search>& searches);

}  // namespace ricercar::bench
