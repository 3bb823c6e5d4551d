// A guide puts the options of a choice point into an order: the 0th alternative is what happens if
// nobody interferes, and every other one has a cost. A delaying explorer is one guide, counting
// preemptions is another; the searches that go through executions by their cost take either.
#pragma once

#include <cstdint>
#include <memory>

#include "model/choice.h"
#include "model/state.h"

namespace ricercar::inline strategy {

class Guide {
 public:
  virtual ~Guide() = default;

  virtual std::unique_ptr<Guide> copy() const = 0;
  // Called in every state, in order. `chosen` of the last choice is known from option().
  virtual void enter(const State& state) = 0;
  // The execution goes on from a saved state, where this guide was copied after enter(): the trace
  // begins anew.
  virtual void resume() = 0;
  // The index of the alternative-th option, below the number of options. Called once for a point.
  virtual std::uint32_t option(const ChoicePoint& point, std::uint32_t alternative) = 0;
  // The tasks that the alternatives of a schedule point in the last state stand for, if they cost
  // 0, 1, 2, ...; how many were written, 0: not known beforehand, or more than `most`.
  virtual std::uint32_t order(std::uint16_t*, std::uint32_t) const { return 0; }
  // As option() at such a point. Only if order() has told.
  virtual void take(std::uint32_t) {}
  // False: the alternatives of a value point are its options in their order.
  virtual bool orders_values() const { return false; }
  // What it costs to take that alternative; not less than for the one before, and for all but the
  // 0th of a value point the same.
  virtual std::uint64_t cost(const ChoicePoint& point, std::uint32_t alternative) const = 0;
  // One that has not been used, with another random order; nullptr: its order is not random.
  virtual std::unique_ptr<Guide> redrawn(std::uint64_t) const { return nullptr; }
  // Different for guides that would go on differently; 0: it cannot tell.
  virtual std::uint64_t identity() const = 0;
  // About how much memory a copy takes.
  virtual std::size_t bytes() const = 0;
};

}  // namespace ricercar::inline strategy
