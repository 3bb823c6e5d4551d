#include "strategy/delaying/sample_path.h"

#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace ricercar::inline strategy {

void SamplePath::begin(const Guide& start, const SearchItem& item,
                       const std::vector<std::uint32_t>& delays, std::uint64_t values) {
  item_ = item;
  delays_ = delays;
  at_origin_ = item_.place != nullptr;
  guide_ = item_.place ? item_.place->guide->copy() : start.copy();
  if (item_.place) guide_->resume();
  points_ = item_.place ? item_.place->point : 0;
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
  if (values_ != 0 && point.kind == ChoiceKind::value) {
    return Random(mix64(values_) + drawn_++).below(options);
  }
  const std::uint32_t index = points_++;
  std::uint32_t alternative = 0;
  if (followed_ < deviations_.size() && deviations_[followed_].depth == index) {
    alternative = deviations_[followed_++].chosen;
  }
  for (; delayed_ < delays_.size() && delays_[delayed_] == index; ++delayed_) ++alternative;
  if (alternative >= options) throw Nondeterminism(point.step, alternative + 1, options);
  // From the first place on every point is one.
  if (!ended_early() && alternative + 1 < options && places_.count++ == 0) places_.first = index;
  return guide_->option(point, alternative);
}

}  // namespace ricercar::inline strategy
