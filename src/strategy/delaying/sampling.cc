#include "strategy/delaying/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

namespace ricercar::inline strategy {
namespace {

// How likely it is at least that a sample is one given execution with so many delays.
double hit(const Stratum& stratum) {
  if (stratum.positions <= 1) return 1;
  return std::pow(static_cast<double>(stratum.positions), -static_cast<double>(stratum.cost));
}

// How likely it is that all samples passed by it.
double miss(const Stratum& stratum) {
  if (stratum.positions <= 1) return 0;
  return std::exp(static_cast<double>(stratum.samples - stratum.with_random_values) *
                  std::log1p(-hit(stratum)));
}

std::string with_random_values(const Stratum& stratum) {
  if (stratum.with_random_values == 0) return "";
  return " (" + std::to_string(stratum.with_random_values) + " of them with random values)";
}

std::string of_each_order(const Stratum& stratum) {
  char text[240];
  std::snprintf(text, sizeof text,
                "%llu samples with %llu delay%s%s, each in an order of its own, at most %llu "
                "position%s: each drew one with so many delays in its order with probability at "
                "least %.3g",
                static_cast<unsigned long long>(stratum.samples),
                static_cast<unsigned long long>(stratum.cost), stratum.cost == 1 ? "" : "s",
                with_random_values(stratum).c_str(),
                static_cast<unsigned long long>(stratum.positions),
                stratum.positions == 1 ? "" : "s", hit(stratum));
  return text;
}

std::string guarantee(const Stratum& stratum) {
  char text[240];
  std::snprintf(text, sizeof text,
                "%llu samples with %llu delay%s%s, at most %llu position%s: one that is needed was "
                "missed with probability at most %.3g",
                static_cast<unsigned long long>(stratum.samples),
                static_cast<unsigned long long>(stratum.cost), stratum.cost == 1 ? "" : "s",
                with_random_values(stratum).c_str(),
                static_cast<unsigned long long>(stratum.positions),
                stratum.positions == 1 ? "" : "s", stratum.missed);
  return text;
}

}  // namespace

SamplingPlan::SamplingPlan(SamplingOptions options)
    : options_(std::move(options)), known_(options_.origin ? 0 : options_.known_paths) {
  strata_.push_back({.cost = 1});
  stratum_began_ = now_seconds();
}

std::uint64_t SamplingPlan::samples_in(std::uint64_t delays) const {
  const double power = std::pow(static_cast<double>(options_.base), static_cast<double>(delays));
  return options_.constant + static_cast<std::uint64_t>(std::min(power, 1e15));
}

// --- Groups and rounds ---

void SamplingPlan::next_group() {
  std::uint64_t delays = strata_.back().cost;
  if (drawn_ == samples_in(delays)) {
    finished_ = delays == options_.bound;
    if (finished_) return;
    drawn_ = 0;
    strata_.push_back({.cost = ++delays});
    stratum_began_ = now_seconds();
  }
  // The first sample goes alone: it shows whether there is anything to draw.
  const std::uint64_t most = executions_ == 0 ? 1 : options_.group;
  const std::uint64_t size = std::min(most, samples_in(delays) - drawn_);
  group_.assign(size, {});
  for (std::size_t i = 0; i < size; ++i) {
    Sample& sample = group_[i];
    sample.random = Random(mix64(mix64(mix64(options_.seed) + delays) + drawn_++));
    if (options_.values_by_turns && drawn_ % 2 == 0) sample.values = sample.random.next() | 1;
    if (options_.draws_orders) sample.order = sample.random.next() | 1;
    if (options_.origin) sample.item = options_.origin(sample.random);
    next_round_.push_back(i);
  }
}

// One delay more, or the sample is complete.
bool SamplingPlan::draw(Sample& sample, DelayPlaces places) {
  Stratum& stratum = strata_.back();
  if (places.count != 0 && sample.delays.size() < stratum.cost) {
    if (sample.values == 0) {
      stratum.positions = std::max<std::uint64_t>(stratum.positions, places.count);
    }
    sample.delays.push_back(places.first + sample.random.below(places.count));
    return true;
  }
  if (sample.delays.empty() && sample.values == 0 && !options_.origin) finished_ = true;
  sample.is_complete = true;
  ++stratum.samples;
  if (sample.values != 0) ++stratum.with_random_values;
  // An execution may need more delays in the orders of all other samples.
  stratum.missed = options_.draws_orders ? 1 : miss(stratum);
  stratum.seconds = now_seconds() - stratum_began_;
  return false;
}

// False: the sample is complete, and its last execution has been run before.
bool SamplingPlan::draw_what_is_known(Sample& sample) {
  if (sample.stands_alone()) return true;
  for (const DelayPlaces* places; (places = known_.find(sample.delays)) != nullptr;) {
    if (!draw(sample, *places)) return false;
  }
  return true;
}

// Of those that would run the same execution one does; the others wait for what it shows.
void SamplingPlan::fill_round() {
  std::set<std::vector<std::uint32_t>> paths;
  for (const std::size_t i : std::exchange(next_round_, {})) {
    Sample& sample = group_[i];
    if (!draw_what_is_known(sample)) continue;
    const bool is_new =
        sample.stands_alone() || known_.is_full() || paths.insert(sample.delays).second;
    (is_new ? round_ : next_round_).push_back(i);
  }
}

void SamplingPlan::next_round() {
  round_.clear();
  handed_out_in_round_ = 0;
  fill_round();
  if (!round_.empty() || finished_) return;
  next_group();
  fill_round();
  // Every group runs something, or a search that knows all paths would not come to its limits.
  if (round_.empty() && !finished_) round_.push_back(0);
}

bool SamplingPlan::take(Sample& sample, std::uint64_t& number) {
  const std::lock_guard lock(monitor_);
  while (!given_up_ && handed_out_in_round_ == round_.size() && turn_ != handed_out_) {
    monitor_.wait();
  }
  if (given_up_) return false;
  if (handed_out_in_round_ == round_.size()) next_round();
  monitor_.notify_all();
  if (finished_) return false;
  sample = group_[round_[handed_out_in_round_++]];
  number = handed_out_++;
  return true;
}

// A quarter of a round if nothing is known yet, so that four processes have something to do.
std::size_t SamplingPlan::samples_in_piece() const {
  return std::max<std::size_t>(1, options_.group / 4);
}

bool SamplingPlan::begins_piece() const {
  const std::lock_guard lock(monitor_);
  return (handed_out_in_round_ - 1) % samples_in_piece() == 0;
}

std::vector<SamplingPlan::Sample> SamplingPlan::take_piece() {
  std::vector<Sample> piece;
  const auto is_round_over = [this] { return handed_out_in_round_ == round_.size(); };
  if (is_round_over() && turn_ != handed_out_) return piece;
  Sample sample;
  for (std::uint64_t number = 0; piece.size() < samples_in_piece() && take(sample, number);) {
    piece.push_back(sample);
    if (is_round_over()) break;
  }
  return piece;
}

void SamplingPlan::commit(std::uint64_t number, DelayPlaces places) {
  const std::lock_guard lock(monitor_);
  while (turn_ != number && !given_up_) monitor_.wait();
  if (given_up_) return;
  ++executions_;
  // The round has as many behind this one as were handed out since.
  const std::size_t place = handed_out_in_round_ - (handed_out_ - number);
  Sample& sample = group_[round_[place]];
  if (sample.is_complete) return;
  if (!sample.stands_alone()) known_.add(sample.delays, places);
  if (draw(sample, places) && draw_what_is_known(sample)) next_round_.push_back(round_[place]);
}

void SamplingPlan::pass(std::uint64_t number) {
  const std::lock_guard lock(monitor_);
  if (turn_ == number) ++turn_;
  monitor_.notify_all();
}

void SamplingPlan::give_up() {
  const std::lock_guard lock(monitor_);
  given_up_ = true;
  monitor_.notify_all();
}

bool SamplingPlan::is_the_only_execution() const {
  const std::lock_guard lock(monitor_);
  return finished_ && executions_ == 1;
}

std::vector<Stratum> SamplingPlan::strata() const {
  const std::lock_guard lock(monitor_);
  return strata_;
}

// --- The strategy ---

bool Sampling::begin() {
  if (ended_early_) throw Nondeterminism(path_.points(), 2, 0);
  if (is_piece_) {
    if (piece_.empty()) return false;
    begins_piece_ = shown_.empty();
    sample_ = std::move(piece_.front());
    piece_.pop_front();
  } else {
    if (!plan_->take(sample_, number_)) return false;
    begins_piece_ = !is_shared_ && plan_->begins_piece();
    is_first_piece_ = number_ == 0;
  }
  const std::unique_ptr<Guide> own = sample_.order != 0 ? start_->redrawn(sample_.order) : nullptr;
  path_.begin(own ? *own : *start_, sample_.item, sample_.delays, sample_.values);
  return true;
}

void Sampling::end(Trace, const Outcome&) {
  ended_early_ = path_.ended_early();
  if (is_piece_) return shown_.push_back(path_.places());
  plan_->commit(number_, path_.places());
  if (is_shared_) {
    has_turn_ = true;
  } else {
    plan_->pass(number_);
  }
}

bool Sampling::counts() {
  if (std::exchange(has_turn_, false)) plan_->pass(number_);
  return true;
}

void Sampling::take(std::string_view piece) {
  KeptIn in({piece.data(), piece.size()});
  in(is_first_piece_, piece_);
  is_piece_ = true;
  ended_early_ = false;
  shown_.clear();
}

PieceEnd Sampling::give() {
  KeptOut out;
  out(plain(shown_));
  return {{out.bytes().data(), out.bytes().size()}, {}, piece_.empty()};
}

std::optional<std::string> Sampling::next_piece(std::uint64_t most) {
  if (most != 0 && number_ >= most) return std::nullopt;
  const bool is_first = number_ == 0;
  if (merged_ == number_) told_ = plan_->strata();
  const std::vector<SamplingPlan::Sample> taken = plan_->take_piece();
  if (taken.empty()) return std::nullopt;
  number_ += taken.size();
  std::deque<SamplingPlan::Sample> samples(taken.begin(), taken.end());
  KeptOut out;
  out(is_first, samples);
  return std::string(out.bytes().data(), out.bytes().size());
}

void Sampling::merge(std::string_view shown) {
  told_.reset();
  KeptIn in({shown.data(), shown.size()});
  std::vector<DelayPlaces> places;
  in(plain(places));
  for (const DelayPlaces& each : places) {
    plan_->commit(merged_, each);
    plan_->pass(merged_++);
  }
}

std::unique_ptr<Strategy> Sampling::partner() {
  is_shared_ = true;
  return std::unique_ptr<Strategy>(new Sampling(start_, plan_));
}

Coverage Sampling::coverage() const {
  if (plan_->is_the_only_execution()) return {true, "the only execution there is"};
  std::string text;
  for (const Stratum& stratum : strata()) {
    if (stratum.samples == 0) continue;
    if (!text.empty()) text += "; ";
    text += plan_->draws_orders() ? of_each_order(stratum) : guarantee(stratum);
  }
  return {false, text.empty() ? "no sample yet" : text};
}

std::string Sampling::progress() const {
  const std::uint64_t delays = strata().back().cost;
  return std::to_string(delays) + (delays == 1 ? " delay" : " delays");
}

void SamplePath::begin(const Guide& start, const SearchItem& item,
                       const std::vector<std::uint32_t>& delays, std::uint64_t values) {
  item_ = item;
  delays_ = delays;
  at_origin_ = item_.place != nullptr;
  guide_ = item_.place ? item_.place->guide->copy() : start.copy();
  if (item_.place) guide_->resume();
  points_ = item_.place ? item_.place->point : 0;
  next_place_ = 0;
  followed_ = delayed_ = 0;
  deviations_ = item_.deviations();
  while (followed_ < deviations_.size() && deviations_[followed_].depth < points_) ++followed_;
  places_ = {};
  values_ = values;
  drawn_ = 0;
}

void SamplePath::visit(const State& state) {
  if (!std::exchange(at_origin_, false)) guide_->enter(state);
}

std::size_t SamplePath::choose(const ChoicePoint& point) {
  const std::uint32_t options = point.options.size();
  const bool is_rare = point.fault.option != FaultOption::none;
  if (values_ != 0 && point.kind == ChoiceKind::value && !is_rare) {
    return Random(mix64(values_) + drawn_++).below(options);
  }
  const std::uint32_t index = points_++;
  std::uint32_t alternative = 0;
  if (followed_ < deviations_.size() && deviations_[followed_].depth == index) {
    alternative = deviations_[followed_++].chosen;
  }
  const bool is_value = point.kind == ChoiceKind::value;
  const std::uint32_t first = next_place_;
  const std::uint32_t places = is_value ? options - 1 : 1;
  next_place_ += places;
  if (next_place_ < first) {
    throw UsageError("ss counts every value that can be chosen as a place for a delay, and here " +
                     std::string("an execution has more than 4 billion: choose among fewer"));
  }
  for (; delayed_ < delays_.size() && delays_[delayed_] < next_place_; ++delayed_) {
    alternative = is_value ? 1 + delays_[delayed_] - first : alternative + 1;
  }
  if (alternative >= options) throw Nondeterminism(point.step, alternative + 1, options);
  const bool has_place = is_value ? alternative == 0 : alternative + 1 < options;
  if (!ended_early() && has_place) count_places(first, places);
  return guide_->option(point, alternative);
}

// From the first one on all are such places.
void SamplePath::count_places(std::uint32_t first, std::uint32_t count) {
  if (places_.count == 0) places_.first = first;
  places_.count += count;
}

}  // namespace ricercar::inline strategy
