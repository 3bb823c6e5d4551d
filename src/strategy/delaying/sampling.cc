#include "strategy/delaying/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/error.h"

namespace ricercar {
namespace {

constexpr std::uint64_t group_size = 64;

// How likely it is that all samples passed by one given execution with so many delays.
double miss(const Stratum& stratum) {
  if (stratum.positions <= 1) return 0;
  const double hit =
      std::pow(static_cast<double>(stratum.positions), -static_cast<double>(stratum.cost));
  return std::exp(static_cast<double>(stratum.samples) * std::log1p(-hit));
}

std::string guarantee(const Stratum& stratum) {
  char text[200];
  std::snprintf(text, sizeof text,
                "%llu samples with %llu delay%s, at most %llu position%s: one that is needed was "
                "missed with probability at most %.3g",
                static_cast<unsigned long long>(stratum.samples),
                static_cast<unsigned long long>(stratum.cost), stratum.cost == 1 ? "" : "s",
                static_cast<unsigned long long>(stratum.positions),
                stratum.positions == 1 ? "" : "s", stratum.missed);
  return text;
}

}  // namespace

SamplingPlan::SamplingPlan(SamplingOptions options) : options_(std::move(options)) {
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
  const std::uint64_t most = executions_ == 0 ? 1 : group_size;
  const std::uint64_t size = std::min(most, samples_in(delays) - drawn_);
  group_.assign(size, {});
  for (std::size_t i = 0; i < size; ++i) {
    Sample& sample = group_[i];
    sample.random = Random(mix64(mix64(mix64(options_.seed) + delays) + drawn_++));
    if (options_.origin) sample.item = options_.origin(sample.random);
    next_round_.push_back(i);
  }
}

void SamplingPlan::next_round() {
  if (next_round_.empty() && !finished_) next_group();
  round_ = std::exchange(next_round_, {});
  handed_out_in_round_ = 0;
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

void SamplingPlan::commit(std::uint64_t number, std::uint32_t places, std::uint32_t first_place) {
  const std::lock_guard lock(monitor_);
  while (turn_ != number && !given_up_) monitor_.wait();
  if (given_up_) return;
  ++executions_;
  // The round has as many behind this one as were handed out since.
  const std::size_t place = handed_out_in_round_ - (handed_out_ - number);
  Sample& sample = group_[round_[place]];
  Stratum& stratum = strata_.back();
  if (places != 0 && sample.delays.size() < stratum.cost) {
    stratum.positions = std::max<std::uint64_t>(stratum.positions, places);
    sample.delays.push_back(first_place + sample.random.below(places));
    next_round_.push_back(round_[place]);
    return;
  }
  if (sample.delays.empty() && !options_.origin) finished_ = true;
  ++stratum.samples;
  stratum.missed = miss(stratum);
  stratum.seconds = now_seconds() - stratum_began_;
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

std::uint64_t SamplingPlan::delays() const {
  const std::lock_guard lock(monitor_);
  return strata_.back().cost;
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
  if (!plan_->take(sample_, number_)) return false;
  path_.begin(*start_, sample_.item, sample_.delays);
  return true;
}

void Sampling::end(Trace, const Outcome&) {
  ended_early_ = path_.ended_early();
  plan_->commit(number_, path_.places(), path_.first_place());
  if (is_shared_) {
    has_turn_ = true;
  } else {
    plan_->pass(number_);
  }
}

bool Sampling::counts() const {
  if (std::exchange(has_turn_, false)) plan_->pass(number_);
  return true;
}

std::unique_ptr<Strategy> Sampling::partner() {
  is_shared_ = true;
  return std::unique_ptr<Strategy>(new Sampling(start_, plan_));
}

Coverage Sampling::coverage() const {
  if (plan_->is_the_only_execution()) return {true, "the only execution there is"};
  std::string text;
  for (const Stratum& stratum : plan_->strata()) {
    if (stratum.samples == 0) continue;
    if (!text.empty()) text += "; ";
    text += guarantee(stratum);
  }
  return {false, text.empty() ? "no sample yet" : text};
}

std::string Sampling::progress() const {
  const std::uint64_t delays = plan_->delays();
  return std::to_string(delays) + (delays == 1 ? " delay" : " delays");
}

}  // namespace ricercar
