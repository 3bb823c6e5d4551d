// The last events of an execution, as many as there is room for. An event stays where it is while
// it is kept.
#pragma once

#include <cstddef>
#include <vector>

#include "base/large_pages.h"
#include "model/recording.h"

namespace ricercar::inline threads {

class LastEvents {
 public:
  // Memory that is not used costs nothing.
  explicit LastEvents(std::size_t most) : most_(most) {
    slots_.reserve(most);
    use_large_pages(slots_.data(), most * sizeof(RecordedEvent));
  }

  // One more, to be filled in. The oldest one goes if there is no room.
  RecordedEvent& add() {
    if (count_ == most_) {
      first_ = position(1);
      --count_;
      has_dropped_ = true;
    }
    const std::size_t at = position(count_++);
    if (at == slots_.size()) slots_.emplace_back();
    return slots_[at];
  }
  void drop_last() { --count_; }

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  bool has_dropped() const { return has_dropped_; }
  // The oldest one is the first.
  RecordedEvent& operator[](std::size_t i) { return slots_[position(i)]; }
  const RecordedEvent& operator[](std::size_t i) const { return slots_[position(i)]; }
  RecordedEvent& back() { return (*this)[count_ - 1]; }

 private:
  std::size_t position(std::size_t i) const {
    const std::size_t at = first_ + i;
    return at < most_ ? at : at - most_;
  }

  std::size_t most_;
  std::vector<RecordedEvent> slots_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool has_dropped_ = false;
};

}  // namespace ricercar::inline threads
