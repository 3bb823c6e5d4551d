// What the two checks of a test have in common, ricercar::check for threads and check_machines:
// which check it is, and from what was found to its files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "search/control.h"

namespace ricercar::inline search {

// The checks from now on belong to the test of this name. Empty: to none.
void begin_test(std::string name);

// Which of the calls in this process.
struct CheckCall {
  std::uint32_t number = 0;          // of all, from 1
  std::uint32_t number_in_test = 0;  // of those of its test, from 1
  std::string test;                  // empty: not known
};
// To be called once for each. `test`: its name if the options say so, or empty.
CheckCall next_check(const std::string& test);

Schedule schedule_of_check(const FoundBug& bug, const Request& request, const CheckCall& check);

// A bug, and the shorter execution with the same failure, if there is one.
struct CheckBug {
  Schedule found;
  std::optional<Schedule> shorter;

  const Schedule& best() const { return shorter ? *shorter : found; }
};
// All that a search has found.
std::vector<CheckBug> bugs_of(const Control& control, const CheckCall& check);
// The best one goes to `path`; the one that was found beside it, if it is another one.
void save(CheckBug& bug, const std::string& path);

// For a search in the process that has found the bug: its request. False: it is left as it is.
bool ask_for_shorter(const Schedule& found, std::uint64_t budget, Request& request);
// What that search has found; empty: nothing shorter.
std::optional<Schedule> shorter_of(const Control& control, const Schedule& found,
                                   const CheckCall& check);

// An absolute path in `folder` or, if it is empty, the usual one. Programs and tests share the
// folder: both are in the name, so that none overwrites what another one has found.
std::string schedule_path(const std::string& folder, const CheckCall& check, std::uint64_t bug);

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
