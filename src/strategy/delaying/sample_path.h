// One execution of a sample: an item's way to its state and alternative, then delays at points that
// were drawn, and as many as come. Finds out where one delay more could go.
#pragma once

#include "strategy/delaying/search_item.h"

namespace ricercar::inline strategy {

// A delay more can go to each of so many points from the first one on.
struct DelayPlaces {
  std::uint32_t count = 0;
  std::uint32_t first = 0;
};

class SamplePath {
 public:
  // `delays`: the points of the delays behind the item's own deviations, ascending, one for each.
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
  SearchItem item_;
  std::vector<Deviation> deviations_;  // of the item
  std::vector<std::uint32_t> delays_;
  std::unique_ptr<Guide> guide_;
  bool at_origin_ = false;
  std::uint32_t points_ = 0;
  std::size_t followed_ = 0;  // deviations
  std::size_t delayed_ = 0;
  DelayPlaces places_;
  std::uint64_t values_ = 0;
  std::uint32_t drawn_ = 0;  // values
};

}  // namespace ricercar::inline strategy
