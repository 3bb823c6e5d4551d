// The default: a portfolio. One member covers the executions systematically, fewest preemptions
// first, because most bugs need few (Musuvathi and Qadeer, PLDI 2007); the others sample the rest,
// because some bugs lie deep in programs that are too large to be covered. Members take turns, one
// execution each; they share nothing, so each keeps its own guarantee.
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "strategy/kept.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

struct Member {
  std::string_view specification;
  int turns;  // in each cycle
};

// The first member is the one that covers: when it has run every execution, the search is over. Its
// bound is larger than any execution has preemptions.
constexpr Member for_threads[] = {
    {"pb:bound=1000000", 4}, {"random", 3},      {"pct:depth=2", 1},  {"pct:depth=3", 1},
    {"pct:depth=4", 1},      {"pct:depth=5", 1}, {"pct:depth=10", 1},
};
// The executions of a cluster are longer than that they could be covered, and what goes wrong
// matters more than who runs first: there are more turns for those that sample.
constexpr Member for_nodes[] = {
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
constexpr std::size_t member_count = 7;
static_assert(std::size(for_threads) == member_count && std::size(for_nodes) == member_count);

using MemberList = std::span<const Member, member_count>;
using Cycle = std::array<std::uint8_t, cycle_length>;

// The members in the order of their turns, each spread evenly over the cycle: every turn pays a
// member its weight, and the richest one moves and pays for the whole turn. Who covers comes first.
constexpr Cycle make_cycle(MemberList members) {
  Cycle cycle = {};
  std::array<int, member_count> credit = {};
  for (std::uint8_t& turn : cycle) {
    for (std::size_t i = 0; i < credit.size(); ++i) {
      credit[i] += members[i].turns;
      if (credit[i] > credit[turn]) turn = static_cast<std::uint8_t>(i);
    }
    credit[turn] -= static_cast<int>(cycle.size());
  }
  std::rotate(cycle.begin(), std::find(cycle.begin(), cycle.end(), covering), cycle.end());
  return cycle;
}
constexpr Cycle cycle_for_threads = make_cycle(for_threads);
constexpr Cycle cycle_for_nodes = make_cycle(for_nodes);
static_assert(cycle_for_threads[0] == covering && cycle_for_nodes[0] == covering,
              "the first execution is the one without any preemption");

class MixedStrategy final : public KeptWrapper<MixedStrategy> {
 public:
  MixedStrategy(std::uint64_t seed, MemberList members, const Cycle& cycle) : cycle_(cycle) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      add_member(make_strategy(members[i].specification, mix64(seed + i)));
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
      current_ = members_[cycle_[turn_]].get();
      turn_ = (turn_ + 1) % cycle_length;
    } while (is_covering() && !can_cover_);
    if (!is_covering()) current_->begin();
  }

  const Cycle& cycle_;
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
  const bool is_for_nodes = members == "nodes";
  return std::make_unique<MixedStrategy>(parameters.seed, is_for_nodes ? for_nodes : for_threads,
                                         is_for_nodes ? cycle_for_nodes : cycle_for_threads);
}

}  // namespace ricercar::inline strategy
