// What an execution tells about the decisions that it could have taken, for the priorities of
// best-first search: which of them reverse a race, which commute with what was done instead, and
// what the happens-before relation was before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strategy/decision_points.h"
#include "strategy/execution_races.h"
#include "strategy/hapset/events.h"
#include "strategy/priority.h"
#include "strategy/reversal.h"

namespace ricercar::inline strategy {

struct DefaultPoint : DecisionPoint {
  std::uint16_t by_default;  // what is chosen unless the execution differs here
};

class CandidateFacts {
 public:
  // Both must outlive it.
  CandidateFacts(const ExecutionRaces& races, const DecisionPoints<DefaultPoint>& points)
      : races_(races), points_(points) {}

  // A new execution, with its races. `statements` and `events`: what is known of statements, and
  // what this execution has shown of them; both or none.
  void begin(Statements* statements, const RunEvents* events);

  // Adds what the execution tells about taking `task` at a point between tasks.
  void complete(Candidate& candidate, std::uint32_t at, std::uint16_t task);
  // What the last one would show that is new.
  const std::optional<PredecessorSets::Pair>& new_pair() const { return new_pair_; }

  // A number for the Mazurkiewicz trace: its happens-before relation, and the values that were
  // taken.
  std::uint64_t trace_number() const;

 private:
  struct Reversed {
    std::uint32_t point;
    std::uint16_t task;
    bool is_direct;                             // the task's own next step is the one of the race
    std::optional<PredecessorSets::Pair> pair;  // that would be new

    bool operator<(const Reversed& other) const;
  };

  void fill_pasts();
  bool commutes(std::uint32_t slot, std::uint16_t task) const;

  const ExecutionRaces& races_;
  const DecisionPoints<DefaultPoint>& points_;
  Reversal reversal_{races_.order()};
  std::vector<Reversed> reversals_;   // the decisions that reverse a race, sorted
  std::vector<std::uint64_t> pasts_;  // by slot: a number for the relation before it
  std::optional<PredecessorSets::Pair> new_pair_;
};

}  // namespace ricercar::inline strategy
