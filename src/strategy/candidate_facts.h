// What an execution tells about the decisions that it could have taken, for the priorities of
// best-first search: which of them reverse a race, which would be a task that sleeps, and what the
// happens-before relation was before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strategy/decision_points.h"
#include "strategy/execution_races.h"
#include "strategy/hapset/events.h"
#include "strategy/priority.h"
#include "strategy/reversal.h"
#include "strategy/search_space.h"

namespace ricercar::inline strategy {

struct DefaultPoint : DecisionPoint {
  // What is chosen unless an execution differs here; nobody: it sleeps, and no execution does that.
  std::uint16_t by_default;
  std::uint64_t asleep;  // in a reduced space: the tasks that sleep here, as in `enabled`
};

class CandidateFacts {
 public:
  // All must outlive it.
  CandidateFacts(const SearchSpace& space, const ExecutionRaces& races,
                 const DecisionPoints<DefaultPoint>& points)
      : space_(space), races_(races), points_(points) {}

  // A new execution, with its races. `statements` and `events`: what is known of statements, and
  // what this execution has shown of them; both or none.
  void begin(Statements* statements, const RunEvents* events);

  // Adds what the execution tells about taking `task` at a point between tasks.
  void complete(Candidate& candidate, std::uint32_t at, std::uint16_t task);
  // What the last one would show that is new.
  const std::optional<PredecessorSets::Pair>& new_pair() const { return new_pair_; }

 private:
  struct Reversed {
    std::uint32_t point;
    std::uint16_t task;
    bool is_direct;                             // the task's own next step is the one of the race
    std::optional<PredecessorSets::Pair> pair;  // that would be new

    bool operator<(const Reversed& other) const;
  };
  // A task that sleeps before the slots behind `first`, up to `last`.
  struct Asleep {
    std::uint16_t task;
    std::uint32_t first, last;
  };

  void add_reversals(const HappensBefore::Race& race, std::uint32_t at,
                     const std::optional<PredecessorSets::Pair>& pair);
  void find_sleepers();
  void put_to_sleep(std::uint16_t task, std::uint32_t slot);
  std::optional<Footprint> next_of(std::uint16_t task, std::uint32_t slot) const;
  bool sleeps(std::uint16_t task, std::uint32_t slot) const;
  void fill_pasts();

  const SearchSpace& space_;
  const ExecutionRaces& races_;
  const DecisionPoints<DefaultPoint>& points_;
  Reversal reversal_{races_.order()};
  std::vector<Reversed> reversals_;   // the decisions that reverse a race, sorted
  std::vector<Asleep> sleepers_;      // in a plain space
  std::vector<std::uint64_t> pasts_;  // by slot: a number for the relation before it
  std::optional<PredecessorSets::Pair> new_pair_;
};

}  // namespace ricercar::inline strategy
