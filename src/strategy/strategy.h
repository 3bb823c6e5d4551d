// The one interface between the search and the strategies. A strategy decides at choice points and
// learns from traces; it never asks which world it is in. What else it can do, or wants to know, it
// offers as capabilities.
//
// Called from one kernel thread. A strategy lives in the search's own memory, which outlives a
// crashed worker process: it must not keep pointers to anything outside of that memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/choice.h"
#include "model/outcome.h"
#include "model/trace.h"
#include "strategy/capabilities.h"

namespace ricercar::inline strategy {

struct Coverage {
  bool complete = false;  // the strategy's whole space was covered
  std::string text;       // what is promised so far, in words and numbers
};

class Strategy {
 public:
  Strategy() = default;
  virtual ~Strategy() = default;
  // Capabilities are parts of the object.
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  // Every execution that began is ended: one that was cut short (limits, a crash) as well as one
  // that came to its end, and then coverage() counts it. begin() and choose() may throw
  // Nondeterminism (base/error.h).
  virtual bool begin() = 0;                                   // false: nothing is left to explore
  virtual std::size_t choose(const ChoicePoint& point) = 0;   // an index into point.options
  virtual void end(Trace trace, const Outcome& outcome) = 0;  // learn from what happened
  virtual Coverage coverage() const = 0;                      // what is promised so far

  // choose() may answer this: the execution is of no use any more, and ends here.
  static constexpr std::size_t cut = ~std::size_t{0};
  // Something has changed: whoever may be chosen now is offered again.
  static constexpr std::size_t again = ~std::size_t{1};

  // The capability, if it is offered; otherwise nullptr. The same from its construction on.
  template <typename Capability>
  Capability* as() const {
    return capabilities_.get<Capability>();
  }

 protected:
  Capabilities capabilities_;
};

// A strategy that offers these capabilities, and has to define their functions.
template <typename... Offered>
class StrategyWith : public Strategy, public Offered... {
 protected:
  StrategyWith() { (capabilities_.add(static_cast<Offered*>(this)), ...); }
};

inline std::string progress_of(const Strategy& strategy) {
  const auto* shows = strategy.as<ShowsProgress>();
  return shows != nullptr ? shows->progress() : std::string();
}

inline std::uint64_t first_part_of(const Strategy& strategy) {
  const auto* has = strategy.as<HasFirstPart>();
  return has != nullptr ? has->first_part() : 0;
}

inline std::vector<Stratum> strata_of(const Strategy& strategy) {
  const auto* has = strategy.as<HasStrata>();
  return has != nullptr ? has->strata() : std::vector<Stratum>();
}

}  // namespace ricercar::inline strategy
