// Explores a system of machines completely, in ways that have nothing in common: by a strategy of
// the registry, and by a plain breadth-first search that is written here.
#pragma once

#include <ricercar/machine.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/outcome.h"
#include "model/state.h"

namespace ricercar::test {

// How an execution may end: the last state, or the bug.
struct Ending {
  OutcomeKind kind = OutcomeKind::ok;
  std::string message;
  Fingerprint state;  // only if there is no bug

  auto operator<=>(const Ending&) const = default;
};

struct Explored {
  bool finished = false;  // within the limit
  std::uint64_t executions = 0;
  std::set<Fingerprint> states;
  std::set<Ending> endings;
  std::string coverage;
  bool complete = false;
};

// At most `limit` executions.
Explored explore(const SetUp& set_up, const std::string& strategy, std::uint64_t limit);
// At random; with what is known of handlers, or running all of them.
struct Walk {
  std::uint64_t trace;  // its hash
  std::string message;  // of the bug
  bool operator==(const Walk&) const = default;
};
std::vector<Walk> walk(const SetUp& set_up, std::uint64_t executions, bool remembers);
// At most `limit` states.
Explored explore_breadth_first(const SetUp& set_up, std::uint64_t limit);

}  // namespace ricercar::test
