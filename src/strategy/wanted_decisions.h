// What the races of an execution ask for in the reduced spaces of best-first search: decisions at
// earlier points that reverse them. Why that is enough: sleeping_siblings.h.
#pragma once

#include <cstdint>

#include "strategy/candidate_facts.h"
#include "strategy/execution_races.h"
#include "strategy/reversal.h"
#include "strategy/search_space.h"

namespace ricercar::inline strategy {

class WantedDecisions {
 public:
  // All must outlive it.
  WantedDecisions(const SearchSpace& space, const ExecutionRaces& races,
                  const DecisionPoints<DefaultPoint>& points)
      : space_(space), races_(races), points_(points) {}

  // While `want` is called: nothing is wanted either if one of these is known there, and then only.
  template <typename Visit>
  void for_each_other_beginning(Visit visit) {
    if (!is_reversal_ || space_.is_persistent) return;
    for (std::size_t i = 0; i < reversal_.size(); ++i) {
      const std::uint16_t task = reversal_[i].task;
      if (reversal_.first_of(task) == i && reversal_.is_initial(reversal_[i])) visit(task);
    }
  }

  // Calls want(point, task) for what is asked for by the races whose second slot begins at this
  // step or later. `is_known(point, task)`: an execution takes it there, or is going to.
  template <typename IsKnown, typename Want>
  void for_each(std::uint32_t step, IsKnown is_known, Want want) {
    for (const HappensBefore::Race& race : races_.races()) {
      if (race.second != no_index && races_.step_of(race.second) < step) continue;
      const std::uint32_t at = points_.at_step(races_.step_of(race.first));
      if (at != no_index) reverse(race, at, is_known, want);
    }
    // A step that ends the execution depends on everything.
    if (races_.ends_early()) everybody_at(races_.last_slot(), want);
    if (races_.is_at_limit()) everybody_at(races_.last_block(), want);
  }

 private:
  template <typename IsKnown, typename Want>
  void reverse(const HappensBefore::Race& race, std::uint32_t at, IsKnown is_known, Want want) {
    reversal_.begin(race);
    const bool is_persistent = space_.is_persistent;
    if (begins_with([&](std::uint16_t task) {
          return sleeps(at, task) || (!is_persistent && is_known(at, task));
        })) {
      return;
    }
    const std::uint16_t task =
        is_persistent ? static_cast<std::uint16_t>(index(race.task)) : reversal_[0].task;
    if (points_.is_enabled(at, task) && !(is_persistent && sleeps(at, task))) {
      is_reversal_ = true;
      want(at, task);
      is_reversal_ = false;
    } else if (is_persistent) {
      everybody(at, want);
    }
  }

  // The reversal could begin with a task that does.
  template <typename Condition>
  bool begins_with(Condition does) {
    for (std::size_t i = 0; i < reversal_.size(); ++i) {
      const std::uint16_t task = reversal_[i].task;
      if (does(task) && reversal_.first_of(task) == i && reversal_.is_initial(reversal_[i])) {
        return true;
      }
    }
    return false;
  }

  template <typename Want>
  void everybody_at(std::uint32_t slot, Want want) {
    const std::uint32_t at = points_.at_step(races_.step_of(slot));
    if (at != no_index) everybody(at, want);
  }
  // Who does not sleep.
  template <typename Want>
  void everybody(std::uint32_t at, Want want) {
    points_.for_each_enabled(at, [&](std::uint16_t task) {
      if (!sleeps(at, task)) want(at, task);
    });
  }

  bool sleeps(std::uint32_t at, std::uint16_t task) const {
    return task < 64 && ((points_[at].asleep >> task) & 1) != 0;
  }

  const SearchSpace& space_;
  const ExecutionRaces& races_;
  const DecisionPoints<DefaultPoint>& points_;
  Reversal reversal_{races_.order()};
  bool is_reversal_ = false;  // what is wanted is one
};

}  // namespace ricercar::inline strategy
