// What the two checks of a test have in common, ricercar::check for threads and check_machines:
// from the options of the public header to a request, and from what was found to its files.
#pragma once

#include <ricercar/abi.h>

#include <cstdint>
#include <string>

#include "model/schedule.h"
#include "search/control.h"

namespace ricercar::inline search {

// Throws UsageError for words that mean nothing.
Request request_of(const ricercar_options& options);

// `check`: which call in the process.
Schedule schedule_of_check(const FoundBug& bug, const Request& request, std::uint32_t check);

// Several checks of one process share the output folder, `folder` or, if it is empty, the usual
// one: the number of the check is in the name.
std::string schedule_path(std::string folder, std::uint32_t check, std::uint64_t bug);

// What was covered, with "; ignored: 2 data-race, 1 leak": how many different ones of each kind
// there were.
std::string coverage_text(const Control& control);

// Result of the public header, or ricercar_result.
template <typename Result>
void copy_figures(const Explored& from, Result& to) {
  to.executions = from.executions;
  to.steps = from.steps;
  to.seconds = from.seconds;
  to.complete = from.complete;
}

}  // namespace ricercar::inline search
