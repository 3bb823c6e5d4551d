// Findings that need not end an execution: a data race, a use of freed memory, a circle of owners
// while others can still run. Who runs the execution says which of them it goes on through.
//
// Called from the running task. Not thread-safe: one kernel thread runs everything.
#pragma once

#include <cstdint>

#include "model/outcome.h"

namespace ricercar::inline threads {

class FindingFilter {
 public:
  virtual ~FindingFilter() = default;

  // True: the execution goes on as if nothing had been found.
  virtual bool goes_on(const Outcome& finding) = 0;
  // A short cut for races, before anything is put into words: true if the execution goes on.
  virtual bool goes_on_through_race(std::uint64_t site, std::uint64_t other_site) = 0;
};

}  // namespace ricercar::inline threads
