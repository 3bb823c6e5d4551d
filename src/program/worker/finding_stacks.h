// Where something went wrong, with the calls that led there: of every thread that it is about.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/call_contexts.h"
#include "model/outcome.h"
#include "model/trace.h"

namespace ricercar::inline worker {

// Return addresses, innermost first, and where each stack ends.
struct FindingStacks {
  std::vector<std::uint64_t> addresses;
  std::vector<std::uint32_t> ends;

  auto operator<=>(const FindingStacks&) const = default;
  void add(std::uint64_t site, ContextId context);
};

// Of a finding in the execution that has just come there. Contexts have to be noted.
// Of a deadlock: everybody who cannot go on; of a livelock: everybody who is left. Of a leak: where
// the thread was created.
FindingStacks stacks_of(const Outcome& finding);
// What tells it from others: of a deadlock also where each thread was created that another one
// waits to join.
FindingStacks identifying_stacks_of(const Outcome& finding);

// Of an execution that has just ended because it goes round for ever: for each thread that is left
// the stacks of all that it does in the round, the last steps of its trace; if that is nothing,
// where it waits.
std::vector<FindingStacks> stacks_of_round(Trace round);

// The innermost place of the user's own code in each stack; the whole stack, as one number, if
// nobody can tell which that is. A search asks for the same ones again and again.
class UsersPlaces {
 public:
  const std::vector<std::uint64_t>& of(const FindingStacks& stacks);

 private:
  std::map<FindingStacks, std::vector<std::uint64_t>> known_;
};

}  // namespace ricercar::inline worker
