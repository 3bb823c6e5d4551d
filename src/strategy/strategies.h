// What strategies make of others: the factories that are called outside of the table of
// registry.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "strategy/registry.h"

namespace ricercar::inline strategy {

// pb with a cache of states: ses, with preemptions as the cost.
std::unique_ptr<Strategy> make_cached_pb(const Parameters& parameters);

// pb in plain depth-first order.
std::unique_ptr<Strategy> make_depth_first_pb(const Parameters& parameters);

// A portfolio in which everybody has as many turns from the beginning to the end.
std::unique_ptr<Strategy> make_fixed_portfolio(const Parameters& parameters);

// Best-first search of a space, what the statements have not shown yet first.
std::unique_ptr<Strategy> make_unpruned_hapset(const Parameters& parameters,
                                               const std::string& space,
                                               const std::shared_ptr<Statements>& statements);

struct Pruning {
  std::optional<std::uint64_t>
      bound;     // of preemptions; without one it is a partial-order reduction
  bool replans;  // what was planned is left out if it has become known when its turn comes
};

// Only what would show something new.
std::unique_ptr<Strategy> make_pruned_hapset(std::shared_ptr<Statements> statements,
                                             const Pruning& pruning);

}  // namespace ricercar::inline strategy
