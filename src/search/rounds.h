// Executions that go round for ever: a few turns of tasks lead to the round, and those of the round
// come again and again. Where the program does not follow, they are a wish and never an error, as a
// Variant is.
//
// Not thread-safe: the strategy of one search uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "strategy/strategy.h"

namespace ricercar::inline search {

struct RoundTurn {
  static constexpr std::uint32_t no_end = ~std::uint32_t{0};  // until it waits, yields or ends

  TaskId task = no_task;
  std::uint32_t steps = 0;  // of this task, in this turn
  // Alternatives other than the first one: how many steps it had made in the turn, and which.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> values;

  bool operator==(const RoundTurn&) const = default;
};

struct Rounds {
  std::vector<RoundTurn> turns;
  std::size_t begin = 0;  // of the round, among the turns

  bool operator==(const Rounds&) const = default;
};

// Of a trace, the last steps of which are the round.
Rounds rounds_of(Trace trace, std::uint64_t round);

// One turn after the other, and round. A task that cannot go on loses its turn.
class RoundsStrategy final : public Strategy {
 public:
  void follow(Rounds rounds);

  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

 private:
  bool is_over() const { return turn_ == rounds_.turns.size(); }
  const RoundTurn& turn() const { return rounds_.turns[turn_]; }
  bool has_turn(TaskId task) const;
  std::size_t next_turn() const;
  void take(std::size_t turn);
  void count_steps(Trace trace);
  std::uint32_t choose_value(const ChoicePoint& point) const;

  Rounds rounds_;
  std::size_t turn_ = 0;    // that goes on; behind the last one: none
  std::uint32_t made_ = 0;  // steps in it
  std::size_t seen_ = 0;    // steps of the trace
};

}  // namespace ricercar::inline search
