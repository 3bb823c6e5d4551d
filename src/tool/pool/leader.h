// Leads a search that is in a pool: hands out its pieces, and puts together what they have shown.
//
// All that has become of pieces is in the log of the pool, in one order, and what is handed out
// next depends on nothing but that. So whoever leads it after us, or after Redis has come back from
// an earlier state, comes to the same by reading the log: what is in the pool holds, and what is in
// this process is a copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pool/pool.h"
#include "supervisor/supervisor.h"

namespace ricercar::inline pool {

// What a user is told of a search in a pool.
enum class PoolNews : std::uint8_t { other, no_workers };
using SayOfPool = std::function<void(PoolNews news, const std::string& text)>;

struct LeaderPlan {
  PoolAddress address;
  PoolFacts facts;  // of the search, for those who take part
  // Throws UsageError if the search that is there is another one.
  std::function<void(const PoolFacts& there)> require_same;
  MakeStrategy make_strategy;
  std::function<void()> begin_anew;  // `whole` becomes as it was in the beginning
  double max_seconds = 0;            // 0: no limit
  SayOfPool say;
  std::function<void(const Control&, double seconds)> progress;  // as Supervision::progress
};

struct Led {
  Supervised supervised;
  bool must_be_alone = false;  // as JobsResult; the search is not in the pool any more
  bool stays = false;          // in the pool
  std::vector<std::string> notes;
};

// Until it is over, or the user does not want to wait for it. The result is in `whole`. Throws
// UsageError.
Led lead_search(SharedControl& whole, const LeaderPlan& plan);

}  // namespace ricercar::inline pool
