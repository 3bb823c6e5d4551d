// Stratified exhaustive search (Desai, Qadeer, Seshia, ESEC/FSE 2015, Figure 5): all states, in the
// order of what the executions that lead to them cost. What an execution costs is up to a Guide:
// delays of an explorer, or preemptions.
//
// Work comes in items: go to a state, take its i-th alternative, and from there on the 0th of each
// state, until a state is known or nothing can go on. On the way every new state leaves an item for
// its next alternative: for this stratum, to be taken last-in first-out as in the paper's
// depth-first search, or for the next one.
//
// Departures from the paper: an item whose world can copy states goes back to one, the others run
// their path again; value choices cost as delays do; with `exact` the guide's own state belongs to
// what the cache holds, so that the stratum of a state is the least cost of getting there.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "strategy/delaying/guide.h"
#include "strategy/delaying/state_cache.h"
#include "strategy/deviation_queue.h"
#include "strategy/strategy.h"

namespace ricercar {

struct StratifiedOptions {
  Stratum::Unit unit = Stratum::Unit::delays;
  std::string by;           // " of explorer rr"; or nothing
  std::uint64_t step = 1;   // costs more in each stratum
  std::uint64_t bound = 0;  // the largest cost
  std::uint64_t cache_bytes = 0;
  StateCache::WhenFull when_full = StateCache::WhenFull::stop;
  bool exact = false;
};

class StratifiedSearch final : public Strategy {
 public:
  StratifiedSearch(std::unique_ptr<Guide> guide, StratifiedOptions options);

  bool begin() override;
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace trace, const Outcome& outcome) override;
  Coverage coverage() const override;
  std::string progress() const override;
  std::vector<Stratum> strata() const override;
  bool wants_states() const override { return true; }
  bool visit(const State& state) override;
  const SavedState* origin() const override;

 private:
  // A state of the past, to go on from there.
  struct Place {
    std::unique_ptr<SavedState> saved;
    std::unique_ptr<Guide> guide;  // as it was there, before any choice
    std::uint32_t point;           // how many choice points come before
  };
  // The execution with these alternatives at these points and the 0th everywhere else.
  struct Item {
    std::shared_ptr<const Place> place;  // nullptr: from the start
    std::vector<Deviation> deviations;
    std::uint32_t options = 0;  // at the last deviation
    std::uint64_t cost = 0;
  };

  void next_stratum();
  void close_stratum();
  Stratum current_stratum() const;
  void take(Item item);
  bool following() const { return followed_ < item_.deviations.size(); }
  bool is_new(const State& state);
  void save(const State& state);
  std::uint32_t alternative_at(const ChoicePoint& point, std::uint32_t index);
  void push_next(const ChoicePoint& point, std::uint32_t index, std::uint32_t alternative);
  std::string counted(std::uint64_t cost) const;

  const std::unique_ptr<Guide> start_;  // as it is before an execution
  const StratifiedOptions options_;

  // The current execution.
  Item item_;
  std::unique_ptr<Guide> guide_;
  std::shared_ptr<const Place> place_;  // the last one that items may go back to
  std::uint32_t points_ = 0;            // choice points so far, from the start
  std::uint32_t states_since_place_ = 0;
  std::size_t followed_ = 0;        // deviations
  bool at_origin_ = false;          // the next state is the item's own
  std::vector<Item> alternatives_;  // that it has left

  StateCache cache_;
  StateCache programs_;  // `exact`: the states without what the guide adds
  std::vector<Item> stack_;
  std::deque<Item> frontier_;     // the rest of this stratum, then the next one
  std::uint64_t in_stratum_ = 1;  // how many of the frontier belong to this stratum
  std::uint64_t cost_bound_ = 0;  // of this stratum
  bool started_ = false;
  bool finished_ = false;
  bool beyond_ = false;  // something costs more than the bound
  std::uint64_t states_ = 0;
  std::vector<Stratum> strata_;
  double stratum_began_ = 0;
};

}  // namespace ricercar
