// The factories of the strategies: each is defined in the strategy's own file and used by the one
// table in registry.cc. Parameters have been checked against that table before a factory is called.
#pragma once

#include <memory>

#include "strategy/registry.h"

namespace ricercar::inline strategy {

std::unique_ptr<Strategy> make_bestfirst(const Parameters& parameters);
std::unique_ptr<Strategy> make_bpor(const Parameters& parameters);
std::unique_ptr<Strategy> make_cached_pb(const Parameters& parameters);
std::unique_ptr<Strategy> make_dfs(const Parameters& parameters);
std::unique_ptr<Strategy> make_dpor(const Parameters& parameters);
std::unique_ptr<Strategy> make_hapset(const Parameters& parameters);
std::unique_ptr<Strategy> make_irs(const Parameters& parameters);
std::unique_ptr<Strategy> make_mixed(const Parameters& parameters);
std::unique_ptr<Strategy> make_pb(const Parameters& parameters);
std::unique_ptr<Strategy> make_pct(const Parameters& parameters);
std::unique_ptr<Strategy> make_pos(const Parameters& parameters);
std::unique_ptr<Strategy> make_random(const Parameters& parameters);
std::unique_ptr<Strategy> make_ses(const Parameters& parameters);
std::unique_ptr<Strategy> make_ses_ss(const Parameters& parameters);
std::unique_ptr<Strategy> make_ss(const Parameters& parameters);

// Best-first search of a space, what the statements have not shown yet first.
std::unique_ptr<Strategy> make_unpruned_hapset(const Parameters& parameters,
                                               const std::string& space,
                                               const std::shared_ptr<Statements>& statements);

}  // namespace ricercar::inline strategy
