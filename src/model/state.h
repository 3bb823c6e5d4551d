// States: how a world shows one to a search that wants to know it again or to come back to it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/task_set.h"
#include "model/trace.h"

namespace ricercar::inline model {

// Stands for a state: machines hash the state itself, threads the happens-before prefix. Two states
// with one fingerprint are taken for one.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  auto operator<=>(const Fingerprint&) const = default;
};

// A state that was put aside, to go on from it later, any number of times. Belongs to who holds it.
class SavedState {
 public:
  virtual ~SavedState() = default;
  // About how much memory it takes.
  virtual std::size_t bytes() const { return 512; }
  // It will be needed soon, and this task will run: fetches the parts that can be found in memory
  // that was fetched the last time, 0 first.
  virtual void prefetch(std::uint32_t, TaskId) const {}
};

// Puts the current state aside. A world that can copy its state has one.
class StateKeeper {
 public:
  virtual std::unique_ptr<SavedState> save() = 0;

 protected:
  ~StateKeeper() = default;
};

struct State {
  Fingerprint fingerprint;
  const TaskSet& enabled;  // the tasks that can go on; none: the execution ends here
  TaskId running;          // see ChoicePoint
  Trace trace;             // what has happened so far (since SavedState, if it began at one)
  StateKeeper* keeper;     // nullptr: this world has to run the schedule again
  // Monitors of machines, as bits: in a hot state, and since the last state or longer.
  std::uint64_t hot = 0;
  std::uint64_t stayed_hot = 0;
};

}  // namespace ricercar::inline model
