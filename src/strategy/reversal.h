// The reversal of a race: what has to run, from the point where the first slot of the race was
// chosen, so that the second one comes before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "strategy/happens_before.h"

namespace ricercar::inline strategy {

class Reversal {
 public:
  // A slot of the current execution that is to be moved to an earlier place, or one that never
  // came.
  struct Element {
    std::uint32_t slot;  // HappensBefore::none: one that never came
    std::uint16_t task;
  };

  explicit Reversal(const HappensBefore& order) : order_(order) {}

  // The sequence becomes the slots that the second one of the race needs, and itself.
  void begin(const HappensBefore::Race& race) {
    race_ = &race;
    sequence_.clear();
    rest_known_ = false;
    const std::uint32_t tasks = order_.task_count();
    base_.resize(tasks);
    for (std::uint32_t task = 0; task < tasks; ++task) {
      const std::vector<std::uint32_t>& slots = order_.slots_of(task);
      base_[task] = static_cast<std::uint32_t>(
          std::lower_bound(slots.begin(), slots.end(), race.first) - slots.begin());
      for (std::uint32_t i = base_[task]; i < order_.in_past(race, task); ++i) {
        sequence_.push_back({slots[i], static_cast<std::uint16_t>(task)});
      }
    }
    std::sort(sequence_.begin(), sequence_.end(),
              [](const Element& a, const Element& b) { return a.slot < b.slot; });
    if (!race.carried) {
      sequence_.push_back({race.second, static_cast<std::uint16_t>(index(race.task))});
    }
    needed_ = sequence_.size();
  }

  // Everything else that does not come after the first slot of the race is added.
  void add_rest() {
    if (rest_known_) return;
    rest_known_ = true;
    const auto count = static_cast<std::uint32_t>(order_.slots().size());
    for (std::uint32_t slot = race_->first + 1; slot < count; ++slot) {
      if (slot == race_->second || order_.is_after(slot, race_->first)) continue;
      const HappensBefore::Slot& other = order_.slots()[slot];
      const std::uint32_t task = index(other.task);
      if (other.number <= order_.in_past(*race_, task)) continue;
      sequence_.push_back({slot, static_cast<std::uint16_t>(task)});
    }
  }

  const std::vector<Element>& sequence() const { return sequence_; }
  std::size_t size() const { return sequence_.size(); }
  const Element& operator[](std::size_t i) const { return sequence_[i]; }
  // So many elements are needed for the second slot, and itself.
  std::size_t needed() const { return needed_; }
  const HappensBefore::Race& race() const { return *race_; }

  const Footprint& footprint_of(const Element& element) const {
    return element.slot == HappensBefore::none ? race_->footprint
                                               : order_.slots()[element.slot].footprint;
  }

  // No other task's slot of the sequence has to come before it.
  bool is_initial(const Element& element) const {
    const bool is_second = element.slot == race_->second;
    for (std::uint32_t task = 0; task < order_.task_count(); ++task) {
      if (task == element.task) continue;
      const std::uint32_t before = is_second
                                       ? order_.in_past(*race_, task)
                                       : order_.in_clock(order_.slots()[element.slot].clock, task);
      if (before > base_[task]) return false;
    }
    return true;
  }

  // The first slot of `task` in the whole sequence; size() if there is none.
  std::size_t first_of(std::uint16_t task) {
    const std::size_t found = find_task(task, 0);
    if (found < sequence_.size() || rest_known_) return found;
    add_rest();
    return find_task(task, needed_);
  }

  // The task could run first, with this footprint, without making a difference to the sequence.
  bool is_weak_initial(std::uint16_t task, const Footprint& footprint) {
    const std::size_t at = first_of(task);
    if (at < sequence_.size()) return is_initial(sequence_[at]);
    return std::none_of(sequence_.begin(), sequence_.end(), [&](const Element& element) {
      return footprint.depends_on(footprint_of(element));
    });
  }

  // It has been taken: what is left follows it.
  void remove(std::size_t position) {
    ++base_[sequence_[position].task];
    sequence_.erase(sequence_.begin() + static_cast<std::ptrdiff_t>(position));
    if (position < needed_) --needed_;
  }

 private:
  std::size_t find_task(std::uint16_t task, std::size_t from) const {
    for (std::size_t i = from; i < sequence_.size(); ++i) {
      if (sequence_[i].task == task) return i;
    }
    return sequence_.size();
  }

  const HappensBefore& order_;
  const HappensBefore::Race* race_ = nullptr;
  std::vector<Element> sequence_;
  std::size_t needed_ = 0;
  bool rest_known_ = false;
  std::vector<std::uint32_t> base_;  // by task: its slots before the first one of the race
};

}  // namespace ricercar::inline strategy
