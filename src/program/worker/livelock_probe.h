// Looks for a livelock that a strategy came close to. Where threads of an execution come round to
// where they were, the probe asks whether they could do so for ever: it runs the execution again up
// to there and goes on taking the same decisions in a circle. If that leads to the step limit, and
// no thread that could run is left out in the circle, the schedule is fair and the threads make no
// progress.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/decisions.h"
#include "strategy/strategy.h"

namespace ricercar::inline worker {

struct Circle {
  Decisions before;  // what leads to it
  Decisions around;
  std::uint64_t steps = 0;  // of one round
};

// Finds the places where at least two tasks have come round to where they were. Each circle is
// found once, whatever leads to it.
class CircleFinder {
 public:
  std::optional<Circle> find(Trace trace);

 private:
  std::unordered_set<std::uint64_t> known_;
};

class LivelockProbe : public Strategy {
 public:
  explicit LivelockProbe(Circle circle) : circle_(std::move(circle)) {}

  bool begin() override { return true; }
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }

 private:
  void round_begins();
  std::uint16_t next_decision();

  const Circle circle_;
  std::uint64_t made_ = 0;
  TaskSet could_run_;  // in this round
  TaskSet ran_;
};

}  // namespace ricercar::inline worker
