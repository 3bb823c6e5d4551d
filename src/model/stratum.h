// Strata: the parts of a search that goes through executions by what they cost.
#pragma once

#include <cstdint>

namespace ricercar::inline model {

struct Stratum {
  enum class Unit : std::uint8_t { delays, preemptions, steps };

  Unit unit = Unit::delays;
  std::uint64_t cost = 0;  // the largest one of this stratum
  double seconds = 0;
  // An exhaustive search:
  std::uint64_t states = 0;      // so far
  std::uint64_t new_states = 0;  // in this stratum
  std::uint64_t frontier = 0;    // items left for later strata
  // A sampling one:
  std::uint64_t samples = 0;
  std::uint64_t with_random_values = 0;  // of these
  std::uint64_t positions = 0;           // the most places for one delay more that were seen
  double missed = 0;  // the largest probability that one execution was not sampled
};

constexpr const char* name_of(Stratum::Unit unit) {
  switch (unit) {
    case Stratum::Unit::delays:
      return "delays";
    case Stratum::Unit::preemptions:
      return "preemptions";
    case Stratum::Unit::steps:
      return "steps";
  }
  return "";
}

}  // namespace ricercar::inline model
