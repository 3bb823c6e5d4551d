// HaPSet's own search: only what would show something new is run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "strategy/hapset/statements.h"
#include "strategy/strategy.h"

namespace ricercar::inline strategy {

// `bound`: of preemptions; without one the search is a partial-order reduction.
std::unique_ptr<Strategy> make_pruned_search(std::shared_ptr<Statements> statements,
                                             std::optional<std::uint64_t> bound);

}  // namespace ricercar::inline strategy
