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
// As in the paper (section 5), one of the values that a program asks for costs nothing and each
// other one a delay: a point with n of them has n - 1 places. With values_by_turns every other
// sample draws them uniformly instead, and delays only tasks: it draws an execution with d such
// delays, in which the program chooses among n1, n2, ... values, with probability at least 1/(L^d *
// n1 * n2 * ...). The guarantee in numbers is that of the other half.
//
// If the guide's order is random, each sample draws one of its own, as the paper's prr does in its
// Step: then nothing is known from other samples, and the guarantee is one for each order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "strategy/delaying/search_item.h"
#include "strategy/delaying/waiting_lock.h"
#include "strategy/kept.h"
#include "strategy/strategy.h"

namespace ricercar::inline strategy {

// A delay more can go to each of so many places from the first one on. Places are numbered from the
// start of an execution: a point of the schedule is one, and each value but the 0th is one.
struct DelayPlaces {
  std::uint32_t count = 0;
  std::uint32_t first = 0;
};

// One execution of a sample: an item's way to its state and alternative, then delays at points that
// were drawn, and as many as come. Finds out where one delay more could go.
class SamplePath {
 public:
  // `delays`: the places of the delays behind the item's own deviations, ascending, one for each.
  // `values`: 0, or what the values are drawn from; then only points of the schedule are counted.
  void begin(const Guide& start, const SearchItem& item, const std::vector<std::uint32_t>& delays,
             std::uint64_t values);
  const SavedState* origin() const { return item_.place ? item_.place->saved.get() : nullptr; }
  void visit(const State& state);
  std::size_t choose(const ChoicePoint& point);

  DelayPlaces places() const { return places_; }
  // The execution did not come to its last delay.
  bool ended_early() const { return followed_ < deviations_.size() || delayed_ < delays_.size(); }
  std::uint32_t points() const { return points_; }

 private:
  void count_places(std::uint32_t first, std::uint32_t count);

  SearchItem item_;
  std::vector<Deviation> deviations_;  // of the item
  std::vector<std::uint32_t> delays_;
  std::unique_ptr<Guide> guide_;
  bool at_origin_ = false;
  std::uint32_t points_ = 0;
  std::uint32_t next_place_ = 0;
  std::size_t followed_ = 0;  // deviations
  std::size_t delayed_ = 0;
  DelayPlaces places_;
  std::uint64_t values_ = 0;
  std::uint32_t drawn_ = 0;  // values
};

struct SamplingOptions {
  std::uint64_t seed = 1;
  std::uint64_t constant = 100;  // so many samples, and base^d more, have d delays
  std::uint64_t base = 3;
  std::uint64_t bound = 0;                         // the largest number of delays
  std::size_t known_paths = std::size_t{1} << 20;  // so many are remembered
  std::uint64_t group = 64;                        // samples that are taken side by side
  bool values_by_turns = false;                    // every other sample draws its values
  bool draws_orders = false;                       // every sample has a guide of its own
  // Where a sample starts; empty: at the start of the program.
  std::function<SearchItem(Random&)> origin = {};
};

// What executions with delays have shown: behind the last delay of a path, where one more can go.
// A path is the places of its delays, ascending. Kept as a tree, each path below the one with a
// delay less: exact, and a path of any length takes the same memory.
class KnownPaths {
 public:
  explicit KnownPaths(std::size_t most) : most_(most) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(nodes_), children_);
  }

  bool is_full() const { return nodes_.size() >= most_; }

  const DelayPlaces* find(const std::vector<std::uint32_t>& path) const {
    const std::optional<std::uint32_t> node = walk(path, path.size());
    return node ? &nodes_[*node] : nullptr;
  }

  // Nothing happens if there is no room, or none was for the path with a delay less.
  void add(const std::vector<std::uint32_t>& path, DelayPlaces places) {
    if (is_full() || find(path) != nullptr) return;
    if (!path.empty()) {
      const std::optional<std::uint32_t> parent = walk(path, path.size() - 1);
      if (!parent) return;
      children_.emplace(key(*parent, path.back()), static_cast<std::uint32_t>(nodes_.size()));
    }
    nodes_.push_back(places);
  }

 private:
  static std::uint64_t key(std::uint32_t node, std::uint32_t delay) {
    return std::uint64_t{node} << 32 | delay;
  }

  // The node of the first `length` delays.
  std::optional<std::uint32_t> walk(const std::vector<std::uint32_t>& path,
                                    std::size_t length) const {
    if (nodes_.empty()) return std::nullopt;
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const auto child = children_.find(key(node, path[i]));
      if (child == children_.end()) return std::nullopt;
      node = child->second;
    }
    return node;
  }

  const std::size_t most_;
  std::vector<DelayPlaces> nodes_;  // the first one is the path without a delay
  std::unordered_map<std::uint64_t, std::uint32_t> children_;  // by parent and delay
};

// What all who take part share.
class SamplingPlan {
 public:
  struct Sample {
    SearchItem item;
    std::vector<std::uint32_t> delays;
    Random random{0};
    std::uint64_t values = 0;  // what they are drawn from; 0: another one than the 0th is a delay
    std::uint64_t order = 0;   // what its guide draws from; 0: the guide of all
    bool is_complete = false;

    // Without the item: it is the start of the program.
    template <typename Archive>
    void serialize(Archive& archive) {
      archive(delays, random, values, order, is_complete);
    }

    // The same delays mean something else in other samples.
    bool stands_alone() const { return values != 0 || order != 0; }
  };

  explicit SamplingPlan(SamplingOptions options);

  // While nobody else takes part, and if samples start at the start of the program.
  bool can_be_kept() const { return !options_.origin; }
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(group_, round_, next_round_, known_, handed_out_in_round_, drawn_, handed_out_, turn_);
    archive(executions_, finished_, plain(strata_));
    stratum_began_ = now_seconds() - strata_.back().seconds;
  }

  // False: nothing is left. Waits for the others of a round.
  bool take(Sample& sample, std::uint64_t& number);
  // The sample that was taken last is the first one of a piece: a part of a round.
  bool begins_piece() const;
  // All samples of the next piece; none: nothing is left, or not before others of its round are
  // done.
  std::vector<Sample> take_piece();
  // Waits for those before.
  void commit(std::uint64_t number, DelayPlaces places);
  void pass(std::uint64_t number);
  void give_up();

  bool is_the_only_execution() const;
  bool draws_orders() const { return options_.draws_orders; }
  std::vector<Stratum> strata() const;

 private:
  void next_round();
  void next_group();
  void fill_round();
  std::size_t samples_in_piece() const;
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
    : public Kept<Sampling, StrategyWith<KnowsStates, HasPartners, HasPieces, HasStrata,
                                         ShowsProgress, IgnoresOperations, CanBeKept>> {
 public:
  Sampling(std::shared_ptr<const Guide> guide, SamplingOptions options)
      : start_(std::move(guide)), plan_(std::make_shared<SamplingPlan>(std::move(options))) {
    if (plan_->can_be_kept()) return;
    capabilities_.remove<CanBeKept>();
    capabilities_.remove<HasPieces>();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(*plan_, ended_early_);
  }

  bool wants_fingerprints() const override { return false; }
  bool counts_delays() const override { return true; }
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
  std::vector<Stratum> strata() const override { return told_ ? *told_ : plan_->strata(); }
  std::unique_ptr<Strategy> partner() override;
  bool counts() override;
  void leave() override {
    if (is_shared_) plan_->give_up();
  }

  // --- HasPieces: samples of one round ---

  bool begins_piece() const override { return begins_piece_; }
  bool is_first_piece() const override { return is_first_piece_; }
  void take(std::string_view piece) override;
  PieceEnd give() override;
  std::optional<std::string> next_piece(std::uint64_t most) override;
  void merge(std::string_view shown) override;
  void finish() override { told_.reset(); }

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

  bool begins_piece_ = false;
  bool is_first_piece_ = true;
  // Of one who searches single pieces: what is left of this one, and what it has shown.
  bool is_piece_ = false;
  std::deque<SamplingPlan::Sample> piece_;
  std::vector<DelayPlaces> shown_;
  std::uint64_t merged_ = 0;  // samples of others
  // What there was before samples were handed out of which none is back. A new round knows some
  // without running them, and they do not count before it begins.
  std::optional<std::vector<Stratum>> told_;
};

}  // namespace ricercar::inline strategy
