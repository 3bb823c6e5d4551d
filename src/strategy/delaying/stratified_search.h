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
// what the cache holds, so that the stratum of a state is the least cost of getting there; with
// `reduce` tasks sleep (Godefroid, LNCS 1032, 1996), so that fewer steps lead to the same states;
// with `cycles` the graph of the states is kept, and between two strata fair cycles through hot
// states are run.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "strategy/delaying/state_graph.h"
#include "strategy/delaying/stratified_plan.h"
#include "strategy/kept.h"

namespace ricercar::inline strategy {

class StratifiedSearch final
    : public Kept<StratifiedSearch, StrategyWith<KnowsStates, HasPartners, HasStrata, ShowsProgress,
                                                 IgnoresOperations, CanBeKept>> {
 public:
  StratifiedSearch(std::unique_ptr<Guide> guide, StratifiedOptions options);

  // Items that went back to a saved state are run from the start afterwards.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(*plan_, looked_at_, has_more_cycles_, cycles_not_seen_);
    if (graph_) archive(*graph_);
  }

  bool begin() override;
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace trace, const Outcome& outcome) override;
  Coverage coverage() const override;
  std::string progress() const override { return plan_->progress(); }
  std::vector<Stratum> strata() const override { return plan_->strata(); }
  bool visit(const State& state) override;
  bool counts_delays() const override { return plan_->options().unit == Stratum::Unit::delays; }
  bool compares_orders() const override { return plan_->options().reduce; }
  const SavedState* origin() const override;
  std::unique_ptr<Strategy> partner() override;
  bool counts() override;
  void leave() override;

  const StratifiedPlan& plan() const { return *plan_; }

 private:
  StratifiedSearch(std::shared_ptr<const Guide> guide, std::shared_ptr<StratifiedPlan> plan)
      : start_(std::move(guide)), plan_(std::move(plan)), is_shared_(true) {}

  void set_out();
  bool following() const { return followed_ < todo_.size(); }
  Guide& guide();
  std::uint32_t option_at(const ChoicePoint& point, std::uint32_t alternative);
  std::uint64_t extra_cost(const ChoicePoint& point, std::uint32_t alternative, std::uint32_t next);
  bool is_new(const State& state);
  void save_place(const State& state);
  std::uint32_t alternative_at(const ChoicePoint& point, std::uint32_t index);
  void push_next(const ChoicePoint& point, std::uint32_t index, std::uint32_t alternative,
                 std::uint32_t next);
  Fingerprint key_of(const State& state) const;

  // With `cycles`.
  bool set_out_for_cycle();
  void note(const State& state);
  void learn(const ChoicePoint& point, std::uint32_t option);
  std::size_t follow_cycle(const ChoicePoint& point);

  // With `reduce`.
  void fall_asleep(const State& state);
  bool meet(const State& state, const Fingerprint& key, bool is_new);
  std::uint32_t next_awake(const ChoicePoint& point, std::uint32_t from) const;
  std::size_t choose_awake(const ChoicePoint& point, std::uint32_t index, std::uint32_t from);

  const std::shared_ptr<const Guide> start_;  // as it is before an execution
  const std::shared_ptr<StratifiedPlan> plan_;
  bool is_shared_ = false;

  // The current execution.
  SearchItem item_;
  std::uint64_t number_ = 0;      // of the item, if the plan is shared
  bool again_ = false;            // the item has to be run once more, and it is its turn
  bool has_turn_ = false;         // to be passed on when the world has counted
  std::vector<Deviation> todo_;   // of the item, behind its place
  std::unique_ptr<Guide> guide_;  // nullptr: not needed so far, see guide()
  std::uint32_t taken_ = 0;       // the alternative that it has not been told of
  std::shared_ptr<const ReturnPlace> new_place_;  // the last one that it has made, if any
  const ReturnPlace* place_ =
      nullptr;                // the last one that items may go back to: that or the item's
  std::uint32_t points_ = 0;  // choice points so far, from the start
  std::uint32_t states_since_place_ = 0;
  std::size_t followed_ = 0;              // deviations
  bool at_origin_ = false;                // the next state is the item's own
  bool beyond_ = false;                   // an alternative cost too much
  std::vector<SearchItem> alternatives_;  // that it has left
  std::vector<VisitedState> visited_;     // if the plan is shared: for the first time
  std::set<Fingerprint> path_;            // their keys

  // With `cycles`.
  std::unique_ptr<StateGraph> graph_;
  std::uint64_t looked_at_ = 0;           // steps of the graph, the last time
  bool has_more_cycles_ = false;          // there was one then
  std::uint64_t cycles_not_seen_ = 0;     // that the world did not confirm
  std::vector<DecidedStep> cycle_;        // to be run; empty: this is an ordinary execution
  std::size_t cycle_states_ = 0;          // that it has come through
  std::size_t cycle_values_ = 0;          // that were taken since the last one
  std::optional<StateGraph::Node> node_;  // the last state
  DecidedStep decided_;                   // since then
  TaskId only_enabled_ = no_task;         // in that state, if nobody else was

  // With `reduce`, in the last state.
  SleepSet sleep_;
  bool explores_all_ = true;
  TaskSet explores_;              // if not all
  TaskId chosen_ = no_task;       // to run from there on
  TaskId only_ = no_task;         // can run from there on, and nobody else
  std::uint64_t slot_ = 0;        // where its steps begin in the trace
  std::size_t behind_ = no_item;  // the alternative that comes behind it
  static constexpr std::size_t no_item = ~std::size_t{0};
};

}  // namespace ricercar::inline strategy
