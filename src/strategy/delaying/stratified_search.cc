#include "strategy/delaying/stratified_search.h"

#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

namespace ricercar {
namespace {

// At states with one task nothing is decided, but a value may be chosen right behind: there a state
// is saved now and then.
constexpr std::uint32_t longest_repetition = 16;

}  // namespace

StratifiedSearch::StratifiedSearch(std::unique_ptr<Guide> guide, StratifiedOptions options)
    : start_(std::move(guide)),
      options_(std::move(options)),
      cache_(options_.cache_bytes, options_.when_full),
      programs_(0, StateCache::WhenFull::stop),
      frontier_(1) {}

bool StratifiedSearch::begin() {
  if (following()) {
    throw Nondeterminism(item_.deviations[followed_].depth, item_.options, 0);
  }
  if (!started_) stratum_began_ = now_seconds();
  started_ = true;
  if (stack_.empty() && in_stratum_ == 0) next_stratum();
  if (finished_) return false;
  if (!stack_.empty()) {
    take(std::move(stack_.back()));
    stack_.pop_back();
  } else {
    take(std::move(frontier_.front()));
    frontier_.pop_front();
    --in_stratum_;
  }
  return true;
}

Stratum StratifiedSearch::current_stratum() const {
  const std::uint64_t before = strata_.empty() ? 0 : strata_.back().states;
  Stratum stratum;
  stratum.unit = options_.unit;
  stratum.cost = cost_bound_;
  stratum.seconds = now_seconds() - stratum_began_;
  stratum.states = states_;
  stratum.new_states = states_ - before;
  stratum.frontier = frontier_.size() - in_stratum_;
  return stratum;
}

void StratifiedSearch::close_stratum() {
  strata_.push_back(current_stratum());
  stratum_began_ = now_seconds();
  if (strata_.size() == 1 && cache_.dropped() != 0) {
    throw UsageError(
        "a cache of " + std::to_string(options_.cache_bytes) +
        " bytes is too small for the first stratum: it has " + std::to_string(states_) +
        " states, so give it at least cache=" + std::to_string(StateCache::bytes_for(states_)));
  }
}

void StratifiedSearch::next_stratum() {
  if (finished_) return;
  close_stratum();
  finished_ = frontier_.empty();
  in_stratum_ = frontier_.size();
  if (!finished_) cost_bound_ += options_.step;
}

void StratifiedSearch::take(Item item) {
  item_ = std::move(item);
  place_ = item_.place;
  at_origin_ = place_ != nullptr;
  guide_ = (place_ ? place_->guide : start_)->copy();
  if (place_) guide_->resume();
  points_ = place_ ? place_->point : 0;
  states_since_place_ = 0;
  followed_ = 0;
  while (following() && item_.deviations[followed_].depth < points_) ++followed_;
}

const SavedState* StratifiedSearch::origin() const {
  return item_.place ? item_.place->saved.get() : nullptr;
}

bool StratifiedSearch::visit(const State& state) {
  if (std::exchange(at_origin_, false)) return true;
  guide_->enter(state);
  if (!following() && !is_new(state)) return false;
  save(state);
  return true;
}

bool StratifiedSearch::is_new(const State& state) {
  Fingerprint key = state.fingerprint;
  if (options_.exact) {
    const std::uint64_t identity = guide_->identity();
    if (identity == 0) {
      throw UsageError(
          "exact=yes needs an explorer that can tell its own states apart: identity() returned 0");
    }
    key = {mix64(key.low ^ identity), mix64(key.high + identity)};
  }
  if (!cache_.insert(key)) return false;
  if (!options_.exact || programs_.insert(state.fingerprint)) ++states_;
  return true;
}

void StratifiedSearch::save(const State& state) {
  ++states_since_place_;
  if (state.keeper == nullptr) return;
  // On the way to an item's own state, only that one is of use.
  if (following() && item_.deviations.back().depth != points_) return;
  if (state.enabled.size() < 2 && place_ && states_since_place_ < longest_repetition) return;
  place_ = std::make_shared<const Place>(Place{state.keeper->save(), guide_->copy(), points_});
  states_since_place_ = 0;
}

std::uint32_t StratifiedSearch::alternative_at(const ChoicePoint& point, std::uint32_t index) {
  if (!following() || item_.deviations[followed_].depth != index) return 0;
  const std::uint32_t alternative = item_.deviations[followed_++].chosen;
  const bool is_last = !following();
  const std::uint32_t options = point.options.size();
  if (alternative >= options || (is_last && options != item_.options)) {
    throw Nondeterminism(point.step, is_last ? item_.options : alternative + 1, options);
  }
  return alternative;
}

std::size_t StratifiedSearch::choose(const ChoicePoint& point) {
  const std::uint32_t index = points_++;
  const std::uint32_t alternative = alternative_at(point, index);
  if (!following() && alternative + 1 < point.options.size()) push_next(point, index, alternative);
  return guide_->option(point, alternative);
}

// The item for the alternative behind this one.
void StratifiedSearch::push_next(const ChoicePoint& point, std::uint32_t index,
                                 std::uint32_t alternative) {
  const std::uint64_t cost =
      item_.cost - guide_->cost(point, alternative) + guide_->cost(point, alternative + 1);
  if (cost > options_.bound) {
    beyond_ = true;
    return;
  }
  Item& next = alternatives_.emplace_back();
  next.place = place_;
  next.deviations = item_.deviations;
  if (alternative != 0) next.deviations.pop_back();
  next.deviations.push_back({index, alternative + 1});
  next.options = point.options.size();
  next.cost = cost;
}

void StratifiedSearch::end(Trace, const Outcome&) {
  for (Item& item : alternatives_) {
    if (item.cost <= cost_bound_) {
      stack_.push_back(std::move(item));
    } else {
      frontier_.push_back(std::move(item));
    }
  }
  alternatives_.clear();
  place_ = nullptr;
}

std::string StratifiedSearch::counted(std::uint64_t cost) const {
  std::string unit = name_of(options_.unit);
  if (cost == 1) unit.pop_back();
  return std::to_string(cost) + " " + unit;
}

Coverage StratifiedSearch::coverage() const {
  const std::string count = std::to_string(states_);
  const std::string exactly = cache_.dropped() == 0 ? "" : " at most (the cache was full)";
  if (finished_ && !beyond_) return {true, "every state: " + count + exactly};
  if (finished_) {
    return {true,
            "every state within " + counted(options_.bound) + options_.by + ": " + count + exactly};
  }
  std::string text;
  if (!strata_.empty()) {
    text = "every state within " + counted(strata_.back().cost) + options_.by + ": " +
           std::to_string(strata_.back().states) + exactly + "; ";
  }
  return {false, text + "states within " + counted(cost_bound_) + ", not yet all: " + count};
}

std::string StratifiedSearch::progress() const {
  return counted(cost_bound_) + ", " + std::to_string(states_) + " states, " +
         std::to_string(frontier_.size()) + " wait";
}

std::vector<Stratum> StratifiedSearch::strata() const {
  std::vector<Stratum> all = strata_;
  if (!finished_) all.push_back(current_stratum());
  return all;
}

}  // namespace ricercar
