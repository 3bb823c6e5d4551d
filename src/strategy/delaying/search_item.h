// What waits to be explored by a stratified search.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "base/plain.h"
#include "strategy/delaying/guide.h"
#include "strategy/deviation_queue.h"
#include "strategy/sleep_set.h"

namespace ricercar::inline strategy {

// A state of the past, to go on from there. Never changed once it is made.
struct ReturnPlace {
  std::unique_ptr<SavedState> saved;
  std::unique_ptr<Guide> guide;  // as it was there, before any choice
  std::uint32_t point = 0;       // how many choice points come before
  // The tasks that the alternatives stand for (Guide::order): an item needs the guide itself only
  // if it comes to a new state.
  static constexpr std::uint32_t most_options = 12;
  std::uint32_t options = 0;
  std::uint16_t order[most_options];
  std::vector<Deviation> deviations;  // of the way here

  std::uint64_t bytes() const {
    return sizeof(*this) + guide->bytes() + saved->bytes() +
           deviations.capacity() * sizeof(Deviation);
  }
};

// With `reduce`: who sleeps, and who has to run (nobody: all).
struct Sleepers {
  std::vector<Sleeper> sleep;
  TaskSet only;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(sleep), only);
  }
};

// The execution with these alternatives at these points and the 0th everywhere else.
struct SearchItem {
  std::shared_ptr<const ReturnPlace> place;  // nullptr: from the start
  std::vector<Deviation> before;             // behind the place, without the last one
  Deviation last = {0, 0};                   // the 0th alternative: there is none
  std::uint32_t options = 0;                 // there
  bool is_value = false;                     // the options behind it cost the same, see has_more()
  std::uint64_t cost = 0;
  std::shared_ptr<Sleepers> asleep;  // there

  // It stands for the value that comes next there, too.
  bool has_more() const { return is_value && last.chosen + 1 < options; }

  // All that it does otherwise, from the start.
  std::vector<Deviation> deviations() const {
    std::vector<Deviation> all;
    if (place) all = place->deviations;
    all.insert(all.end(), before.begin(), before.end());
    if (last.chosen != 0) all.push_back(last);
    return all;
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = sizeof(*this) + before.capacity() * sizeof(Deviation);
    if (asleep) sum += sizeof(Sleepers) + asleep->sleep.capacity() * sizeof(Sleeper);
    // Every item of a place but its last one passes it on to the next.
    if (place) sum += place->bytes();
    return sum;
  }

  // All that it does otherwise, from the start: a place is of one process.
  void set_deviations(std::vector<Deviation> all) {
    place = nullptr;
    before = std::move(all);
    last = {0, 0};
    if (before.empty()) return;
    last = before.back();
    before.pop_back();
  }
  template <typename Archive>
  void serialize(Archive& archive) {
    std::vector<Deviation> all = deviations();
    bool has_sleepers = asleep != nullptr;
    archive(plain(all), options, is_value, cost, has_sleepers);
    if constexpr (std::is_same_v<Archive, KeptIn>) {
      set_deviations(std::move(all));
      asleep = has_sleepers ? std::make_shared<Sleepers>() : nullptr;
    }
    if (has_sleepers) archive(*asleep);
  }
};

}  // namespace ricercar::inline strategy
