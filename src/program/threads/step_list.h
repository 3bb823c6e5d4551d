// The trace of an execution while it is written: in the memory of whoever wants to read it after
// the process has died, or in its own. Not thread-safe.
#pragma once

#include <cstdint>

#include "base/check.h"
#include "model/open_trace.h"
#include "model/trace.h"

namespace ricercar::inline threads {

// How many steps an execution may write at most: it goes past the limit by the steps in which
// nothing is decided.
constexpr std::uint64_t trace_room(std::uint64_t max_steps) { return max_steps + (1 << 16); }

class StepList {
 public:
  StepList() = default;
  StepList(const StepList&) = delete;
  StepList& operator=(const StepList&) = delete;

  // `open` stays the caller's. Null, or without memory: the trace dies with the process, and only
  // then, because processes end while tasks run.
  void write_into(OpenTrace* open, std::uint64_t max_steps);
  OpenTrace& open() { return *open_; }
  const OpenTrace& open() const { return *open_; }

  void begin_execution() {
    count_ = open_->step_count = 0;
    slot_ = nullptr;
  }
  Trace trace() const { return {steps_, count_}; }
  std::uint64_t size() const { return count_; }
  Step& last() { return steps_[count_ - 1]; }

  // One in which nothing is decided.
  Step& add() {
    RICERCAR_CHECK(count_ < room_);
    open_->step_count = count_ + 1;
    return steps_[count_++];
  }
  // One that was decided: those without a decision that follow are in its slot.
  Step& add_decided() {
    slot_ = &steps_[count_];
    open_->step_count = ++count_;
    return *slot_;
  }
  bool has_slot() const { return slot_ != nullptr; }
  std::uint64_t slot() const { return static_cast<std::uint64_t>(slot_ - steps_); }
  // What happens now depends on the order of all such things: the clock is asked, a random number
  // is drawn.
  void touches_world() {
    if (slot_ != nullptr) slot_->flags |= step_world;
  }
  // Steps that were for looking only do not count; who reads the open trace still sees them.
  void shorten(std::uint64_t count) { count_ = count; }

  void check_invariants() const {
    RICERCAR_CHECK(count_ <= room_ && count_ == open_->step_count);
    RICERCAR_CHECK(slot_ == nullptr || slot() < count_);
  }

 private:
  void release();

  Step* steps_ = nullptr;
  OpenTrace* open_ = nullptr;
  Step* slot_ = nullptr;  // that of the last decision
  std::uint64_t count_ = 0;
  std::uint64_t room_ = 0;
  OpenTrace own_;
  std::uint64_t own_room_ = 0;
};

}  // namespace ricercar::inline threads
