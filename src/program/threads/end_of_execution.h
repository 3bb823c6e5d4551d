// How an execution ends, or has ended: with which outcome, and why it says what it says. What was
// found on the way need not be the end of it.
//
// Needs no process. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "model/outcome.h"
#include "model/trace.h"
#include "threads/finding_filter.h"
#include "threads/tasks.h"

namespace ricercar::inline threads {

class EndOfExecution {
 public:
  // Some tasks have waited for each other, and the execution went on without them. If nothing else
  // went wrong, that is its outcome.
  struct Circle {
    std::uint64_t steps = 0;   // before it closed; 0: there was none
    std::uint64_t passed = 0;  // findings before it
    Outcome outcome;
  };

  void begin_execution();

  // Findings that the execution goes on through; without a filter there are none. The filter stays
  // the caller's.
  void set_filter(FindingFilter* filter) { filter_ = filter; }
  // True: the execution goes on.
  bool passes(const Outcome& finding);
  bool passes_race(std::uint64_t site, std::uint64_t other_site);
  // How many there were so far that it went on through.
  std::uint64_t passed() const { return passed_; }

  void circle_closed(std::uint64_t steps, std::uint64_t passed_before, const Outcome& outcome);
  const Circle& circle() const { return circle_; }

  void set_outcome(Outcome outcome) { outcome_ = std::move(outcome); }
  const Outcome& outcome() const { return outcome_; }
  // It ends now, without a verdict.
  void stop() { was_stopped_ = true; }
  // The strategy ends it, because it is of no use any more.
  void cut() { was_cut_ = true; }
  // The end of the trace repeats so (0: it does not); `left` is what the tasks would have done
  // next.
  void limit_reached(std::uint64_t period) {
    reached_step_limit_ = true;
    livelock_period_ = period;
  }
  void keep_left(std::vector<Step> left) { left_at_limit_ = std::move(left); }
  // What happened since the limit was reached was for looking only.
  void forget_looking();
  // Nothing more will happen: says what the execution ends in.
  void settle();

  bool ended_in_circle() const { return ended_in_circle_; }
  bool was_cut() const { return was_cut_; }
  // It was ended before it had come to its own end: it says nothing.
  bool was_stopped() const { return was_stopped_; }
  bool reached_step_limit() const { return reached_step_limit_; }
  std::uint64_t livelock_period() const { return livelock_period_; }
  const std::vector<Step>& left_at_limit() const { return left_at_limit_; }

 private:
  Outcome outcome_;
  Circle circle_;
  FindingFilter* filter_ = nullptr;
  std::uint64_t passed_ = 0;
  std::uint64_t livelock_period_ = 0;
  std::vector<Step> left_at_limit_;
  bool ended_in_circle_ = false;
  bool reached_step_limit_ = false;
  bool was_stopped_ = false;
  bool was_cut_ = false;
};

// After an execution without a bug: the first thread that ended and was neither joined nor
// detached.
Outcome leaked_thread(const Tasks& tasks);

inline void EndOfExecution::begin_execution() {
  if (outcome_.is_bug()) outcome_ = Outcome{};
  circle_.steps = 0;
  passed_ = 0;
  livelock_period_ = 0;
  left_at_limit_.clear();
  ended_in_circle_ = reached_step_limit_ = was_stopped_ = was_cut_ = false;
}

}  // namespace ricercar::inline threads
