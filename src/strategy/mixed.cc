// The default for nodes: members that take turns, one execution each. One covers the executions
// systematically, fewest preemptions first; the others sample, and all of them learn which code the
// executions run through. For threads, where nobody learns from others, it is a portfolio
// (strategy/portfolio.cc), in which turns come in rounds.
#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "strategy/kept.h"
#include "strategy/registry.h"
#include "strategy/strategies.h"

namespace ricercar::inline strategy {
namespace {

struct Member {
  std::string_view specification;
  int turns;  // in each cycle
};

// The first member is the one that covers: when it has run every execution, the search is over. Its
// bound is larger than any execution has preemptions. The executions of a cluster are longer than
// that they could be covered, and what goes wrong matters more than who runs first: there are more
// turns for those that sample.
constexpr Member members_for_nodes[] = {
    {"pb:bound=1000000", 1},
    {"random:slow=yes", 4},
    {"coverage:score=frequency", 2},
    {"pos", 2},
    {"coverage:score=unique", 1},
    {"random", 1},
    {"pct:depth=3", 1},
};
constexpr std::size_t covering = 0;
constexpr std::size_t cycle_length = 12;
constexpr std::size_t member_count = std::size(members_for_nodes);

using Cycle = std::array<std::uint8_t, cycle_length>;

// The members in the order of their turns, each spread evenly over the cycle: every turn pays a
// member its weight, and the richest one moves and pays for the whole turn. Who covers comes first.
constexpr Cycle make_cycle() {
  Cycle cycle = {};
  std::array<int, member_count> credit = {};
  for (std::uint8_t& turn : cycle) {
    for (std::size_t i = 0; i < credit.size(); ++i) {
      credit[i] += members_for_nodes[i].turns;
      if (credit[i] > credit[turn]) turn = static_cast<std::uint8_t>(i);
    }
    credit[turn] -= static_cast<int>(cycle.size());
  }
  std::rotate(cycle.begin(), std::find(cycle.begin(), cycle.end(), covering), cycle.end());
  return cycle;
}
constexpr Cycle turn_cycle = make_cycle();
static_assert(turn_cycle[0] == covering, "the first execution is the one without any preemption");

class MixedStrategy final : public KeptWrapper<MixedStrategy> {
 public:
  explicit MixedStrategy(std::uint64_t seed) {
    for (std::size_t i = 0; i < member_count; ++i) {
      add_member(make_strategy(members_for_nodes[i].specification, mix64(seed + i)));
    }
    current_ = members_[covering].get();
    offer_to_be_kept();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(turn_, can_cover_, finished_, sampled_);
  }

  bool begin() override {
    if (is_covering()) {
      can_cover_ = current_->begin();
      finished_ = !can_cover_ && current_->coverage().complete;
    }
    if (finished_) return false;
    take_turn();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override { return current_->choose(point); }

  void end(Trace trace, const Outcome& outcome) override {
    current_->end(trace, outcome);
    if (!is_covering()) ++sampled_;
  }

  Coverage coverage() const override {
    Coverage coverage = members_[covering]->coverage();
    coverage.text += "; and " + std::to_string(sampled_) + " sampled";
    return coverage;
  }

  std::string progress() const override { return progress_of(*members_[covering]); }

 private:
  bool is_covering() const { return current_ == members_[covering].get(); }

  // The covering member has begun already, if it can: see begin.
  void take_turn() {
    do {
      current_ = members_[turn_cycle[turn_]].get();
      turn_ = (turn_ + 1) % cycle_length;
    } while (is_covering() && !can_cover_);
    if (!is_covering()) current_->begin();
  }

  std::size_t turn_ = 0;
  bool can_cover_ = true;
  bool finished_ = false;
  std::uint64_t sampled_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_mixed(const Parameters& parameters) {
  const std::string members = parameters.text("members");
  if (members != "threads" && members != "nodes") {
    throw UsageError("the parameter members of mixed is threads or nodes, not '" + members + "'");
  }
  if (members == "threads") return make_fixed_portfolio(parameters);
  return std::make_unique<MixedStrategy>(parameters.seed);
}

}  // namespace ricercar::inline strategy
