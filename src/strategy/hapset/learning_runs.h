// Random executions that come before a search, for its predecessor sets to learn from (Wang, Said,
// Gupta, ICSE 2011, Algorithm 1).
#pragma once

#include <cstdint>
#include <memory>

#include "strategy/hapset/statements.h"
#include "strategy/strategy.h"

namespace ricercar {

// The search shares the statements, and begins after `runs` executions.
std::unique_ptr<Strategy> learn_first(std::uint64_t runs, std::uint64_t seed,
                                      std::shared_ptr<Statements> statements,
                                      std::unique_ptr<Strategy> search);

}  // namespace ricercar
