// Stratified sampling (Desai, Qadeer, Seshia, ESEC/FSE 2015, Figure 7). A sample with d delays is
// d + 1 executions: one without a delay, then each with one delay more than the one before, at a
// place that is drawn uniformly from those at or behind the last delay. Every execution with d
// delays is drawn with probability at least 1/L^d, where L is the largest number of such places.
//
// Departures from the paper: only points with at least two options count as places, and only as
// long as one more delay in a row is allowed there; a sample that finds no place for its next delay
// ends with fewer. Samples are taken in groups, and of each of a group one execution after the
// other is run: within such a round they do not depend on each other, and several can take part
// with the same result as one. An execution that an earlier sample has run is not run again; what
// it has shown is known. That saves executions and changes no sample.
//
// As in the paper (section 5), the values that a program asks for are in an order, and each other
// than the 0th costs as many delays as are before it. With values_by_turns every other sample draws
// them uniformly instead, and delays only tasks: it draws an execution with d such delays, in which
// the program chooses among n1, n2, ... values, with probability at least 1/(L^d * n1 * n2 * ...).
// The guarantee in numbers is that of the other half.
#pragma once

#include <functional>

#include "base/random.h"
#include "strategy/delaying/known_paths.h"
#include "strategy/delaying/sample_path.h"
#include "strategy/delaying/waiting_lock.h"
#include "strategy/strategy.h"

namespace ricercar::inline strategy {

struct SamplingOptions {
  std::uint64_t seed = 1;
  std::uint64_t constant = 100;  // so many samples, and base^d more, have d delays
  std::uint64_t base = 3;
  std::uint64_t bound = 0;                         // the largest number of delays
  std::size_t known_paths = std::size_t{1} << 20;  // so many are remembered
  bool values_by_turns = false;                    // every other sample draws its values
  // Where a sample starts; empty: at the start of the program.
  std::function<SearchItem(Random&)> origin = {};
};

// What all who take part share.
class SamplingPlan {
 public:
  struct Sample {
    SearchItem item;
    std::vector<std::uint32_t> delays;
    Random random{0};
    std::uint64_t values = 0;  // what they are drawn from; 0: another one than the 0th is a delay
    bool is_complete = false;
  };

  explicit SamplingPlan(SamplingOptions options);

  // False: nothing is left. Waits for the others of a round.
  bool take(Sample& sample, std::uint64_t& number);
  // Waits for those before.
  void commit(std::uint64_t number, DelayPlaces places);
  void pass(std::uint64_t number);
  void give_up();

  std::uint64_t delays() const;
  bool is_the_only_execution() const;
  std::vector<Stratum> strata() const;

 private:
  void next_round();
  void next_group();
  void fill_round();
  bool draw(Sample& sample, DelayPlaces places);
  bool draw_what_is_known(Sample& sample);
  std::uint64_t samples_in(std::uint64_t delays) const;

  const SamplingOptions options_;
  mutable WaitingLock monitor_;  // of all below
  std::vector<Sample> group_;
  std::vector<std::size_t> round_;  // who of the group runs in this round
  std::vector<std::size_t> next_round_;
  KnownPaths known_;
  std::size_t handed_out_in_round_ = 0;
  std::uint64_t drawn_ = 0;  // samples of this stratum, with the group
  std::uint64_t handed_out_ = 0;
  std::uint64_t turn_ = 0;
  std::uint64_t executions_ = 0;
  bool finished_ = false;
  bool given_up_ = false;
  std::vector<Stratum> strata_;
  double stratum_began_ = 0;
};

class Sampling final
    : public StrategyWith<KnowsStates, HasPartners, HasStrata, ShowsProgress, IgnoresOperations> {
 public:
  Sampling(std::shared_ptr<const Guide> guide, SamplingOptions options)
      : start_(std::move(guide)), plan_(std::make_shared<SamplingPlan>(std::move(options))) {}

  bool wants_fingerprints() const override { return false; }
  bool begin() override;
  bool visit(const State& state) override {
    path_.visit(state);
    return true;
  }
  const SavedState* origin() const override { return path_.origin(); }
  std::size_t choose(const ChoicePoint& point) override { return path_.choose(point); }
  void end(Trace trace, const Outcome& outcome) override;
  Coverage coverage() const override;
  std::string progress() const override;
  std::vector<Stratum> strata() const override { return plan_->strata(); }
  std::unique_ptr<Strategy> partner() override;
  bool counts() override;
  void leave() override {
    if (is_shared_) plan_->give_up();
  }

 private:
  Sampling(std::shared_ptr<const Guide> guide, std::shared_ptr<SamplingPlan> plan)
      : start_(std::move(guide)), plan_(std::move(plan)), is_shared_(true) {}

  const std::shared_ptr<const Guide> start_;
  const std::shared_ptr<SamplingPlan> plan_;
  bool is_shared_ = false;
  SamplingPlan::Sample sample_;
  std::uint64_t number_ = 0;
  SamplePath path_;
  bool ended_early_ = false;
  bool has_turn_ = false;
};

}  // namespace ricercar::inline strategy
