// `ss`: stratified sampling (Desai, Qadeer, Seshia, ESEC/FSE 2015, Figure 7). A sample with d
// delays is d + 1 executions: one without a delay, then each with one delay more than the one
// before, at a place that is drawn uniformly from those at or behind the last delay. Every
// execution with d delays is drawn with probability at least 1/L^d, where L is the largest number
// of such places.
//
// Departures from the paper: only points with at least two options count as places, and only as
// long as one more delay in a row is allowed there; a sample that finds no place for its next delay
// ends with fewer.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "strategy/delaying/explorer_guide.h"
#include "strategy/strategies.h"

namespace ricercar {
namespace {

class StratifiedSampling final : public Strategy {
 public:
  StratifiedSampling(std::unique_ptr<Guide> guide, const Parameters& parameters)
      : start_(std::move(guide)),
        seed_(parameters.seed),
        constant_(parameters.number("c1")),
        base_(parameters.number("c2")),
        bound_(parameters.number("bound")) {
    strata_.push_back({.cost = 1});
    stratum_began_ = now_seconds();
  }

  bool wants_states() const override { return true; }
  bool wants_fingerprints() const override { return false; }

  bool begin() override {
    if (ended_early_) throw Nondeterminism(delays_[followed_], 2, 0);
    if (finished_) return false;
    guide_ = start_->copy();
    points_ = 0;
    followed_ = 0;
    places_ = 0;
    if (delays_.empty()) random_ = Random(mix64(mix64(mix64(seed_) + delay_bound_) + sample_));
    return true;
  }

  bool visit(const State& state) override {
    guide_->enter(state);
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    const std::uint32_t index = points_++;
    std::uint32_t alternative = 0;
    for (; followed_ < delays_.size() && delays_[followed_] == index; ++followed_) ++alternative;
    if (alternative >= point.options.size()) {
      throw Nondeterminism(point.step, alternative + 1, point.options.size());
    }
    if (followed_ == delays_.size() && alternative + 1 < point.options.size()) {
      if (places_++ == 0) first_place_ = index;
    }
    return guide_->option(point, alternative);
  }

  void end(Trace, const Outcome&) override {
    ++executions_;
    ended_early_ = followed_ < delays_.size();
    if (ended_early_) return;
    // From the first place on every point is one.
    if (places_ != 0 && delays_.size() < delay_bound_) {
      Stratum& stratum = strata_.back();
      stratum.positions = std::max<std::uint64_t>(stratum.positions, places_);
      delays_.push_back(first_place_ + random_.below(places_));
    } else {
      finished_ = delays_.empty();
      finish_sample();
    }
  }

  Coverage coverage() const override {
    if (finished_ && executions_ == 1) return {true, "the only execution there is"};
    std::string text;
    for (const Stratum& stratum : strata_) {
      if (stratum.samples == 0) continue;
      if (!text.empty()) text += "; ";
      text += guarantee(stratum);
    }
    return {false, text.empty() ? "no sample yet" : text};
  }

  std::string progress() const override {
    return std::to_string(delay_bound_) + (delay_bound_ == 1 ? " delay" : " delays");
  }

  std::vector<Stratum> strata() const override { return strata_; }

 private:
  void finish_sample() {
    Stratum& stratum = strata_.back();
    ++stratum.samples;
    stratum.missed = miss(stratum);
    stratum.seconds = now_seconds() - stratum_began_;
    delays_.clear();
    if (++sample_ < samples_in(delay_bound_)) return;
    if (delay_bound_ == bound_) {
      finished_ = true;
      return;
    }
    sample_ = 0;
    strata_.push_back({.cost = ++delay_bound_});
    stratum_began_ = now_seconds();
  }

  std::uint64_t samples_in(std::uint64_t delays) const {
    const double power = std::pow(static_cast<double>(base_), static_cast<double>(delays));
    return constant_ + static_cast<std::uint64_t>(std::min(power, 1e15));
  }

  // How likely it is that all samples passed by one given execution with so many delays.
  static double miss(const Stratum& stratum) {
    if (stratum.positions <= 1) return 0;
    const double hit =
        std::pow(static_cast<double>(stratum.positions), -static_cast<double>(stratum.cost));
    return std::exp(static_cast<double>(stratum.samples) * std::log1p(-hit));
  }

  static std::string guarantee(const Stratum& stratum) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "%llu samples with %llu delay%s, at most %llu position%s: one that is needed "
                  "was missed with probability at most %.3g",
                  static_cast<unsigned long long>(stratum.samples),
                  static_cast<unsigned long long>(stratum.cost), stratum.cost == 1 ? "" : "s",
                  static_cast<unsigned long long>(stratum.positions),
                  stratum.positions == 1 ? "" : "s", stratum.missed);
    return text;
  }

  const std::unique_ptr<Guide> start_;
  const std::uint64_t seed_, constant_, base_, bound_;
  std::uint64_t delay_bound_ = 1;
  std::uint64_t sample_ = 0;  // in this stratum
  std::uint64_t executions_ = 0;
  bool finished_ = false;
  std::vector<Stratum> strata_;
  double stratum_began_ = 0;

  // The current sample: the points of its delays, one for each.
  std::vector<std::uint32_t> delays_;
  Random random_{0};

  // The current execution.
  std::unique_ptr<Guide> guide_;
  std::uint32_t points_ = 0;
  std::size_t followed_ = 0;
  bool ended_early_ = false;  // before its last delay
  std::uint32_t places_ = 0;  // for one more delay
  std::uint32_t first_place_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_ss(const Parameters& parameters) {
  return std::make_unique<StratifiedSampling>(make_explorer_guide(parameters), parameters);
}

}  // namespace ricercar
