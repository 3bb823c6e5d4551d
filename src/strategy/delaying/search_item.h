// What waits to be explored by a stratified search.
#pragma once

#include <memory>
#include <vector>

#include "strategy/delaying/guide.h"
#include "strategy/deviation_queue.h"
#include "strategy/sleep_set.h"

namespace ricercar {

// A state of the past, to go on from there. Never changed once it is made.
struct Place {
  std::unique_ptr<SavedState> saved;
  std::unique_ptr<Guide> guide;  // as it was there, before any choice
  std::uint32_t point;           // how many choice points come before
};

// The execution with these alternatives at these points and the 0th everywhere else.
struct SearchItem {
  std::shared_ptr<const Place> place;  // nullptr: from the start
  std::vector<Deviation> deviations;
  std::uint32_t options = 0;  // at the last deviation
  std::uint64_t cost = 0;
  // With `reduce`, where the last deviation is: who sleeps there, and who has to run (nobody: all).
  std::vector<Sleeper> sleep;
  TaskSet only;

  std::uint64_t bytes() const {
    std::uint64_t sum = sizeof(*this) + deviations.capacity() * sizeof(Deviation) +
                        sleep.capacity() * sizeof(Sleeper);
    if (place) sum += sizeof(Place) + place->guide->bytes() + place->saved->bytes();
    return sum;
  }
};

}  // namespace ricercar
