// What a pool says of its search, and back: what a worker has to know, and what has to be the same
// there and here.
#pragma once

#include <string>

#include "cli/suppressions.h"
#include "pool/pool.h"
#include "search/control.h"

namespace ricercar::inline cli {

struct Program;

PoolFacts facts_of_search(const Program& program, const Request& request,
                          const Suppressions& suppressions);

struct PooledSearch {
  std::string number;
  Request request;
  Suppressions suppressions;
};
// Throws UsageError if another version of Ricercar has put it there.
PooledSearch pooled_search_from(const PoolFacts& facts, const std::string& address);

// Throws UsageError, which says what differs.
void require_same_search(const PoolFacts& there, const Program& program, const Request& request,
                         const Suppressions& suppressions, const std::string& address);

}  // namespace ricercar::inline cli
