// The one interface between the search and the strategies. A strategy decides at choice points and
// learns from traces; it never asks which world it is in.
//
// Called from one kernel thread. A strategy lives in the search's own memory, which outlives a
// crashed worker process: it must not keep pointers to anything outside of that memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/call_contexts.h"
#include "model/choice.h"
#include "model/outcome.h"
#include "model/state.h"
#include "model/stratum.h"
#include "model/trace.h"

namespace ricercar {

class PredecessorSets;  // see strategy/hapset/predecessor_sets.h

struct Coverage {
  bool complete = false;  // the strategy's whole space was covered
  std::string text;       // what is promised so far, in words and numbers
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  // Every execution that began is ended: one that was cut short (limits, a crash) as well as one
  // that came to its end, and then coverage() counts it. begin() and choose() may throw
  // Nondeterminism (base/error.h).
  virtual bool begin() = 0;                                   // false: nothing is left to explore
  virtual std::size_t choose(const ChoicePoint& point) = 0;   // an index into point.options
  virtual void end(Trace trace, const Outcome& outcome) = 0;  // learn from what happened
  virtual Coverage coverage() const = 0;                      // what is promised so far

  // Called before end() if tasks were left: what each of them would have done next, with
  // step_blocked if it could not.
  virtual void left(Trace) {}
  // Asks the world to note what happens to the heap: ChoicePoint::heap, and used_heap() before
  // end(), valid until end() returns.
  virtual bool wants_heap() const { return false; }
  virtual void used_heap(HeapTrace) {}
  // choose() may answer this: the execution is of no use any more, and ends here.
  static constexpr std::size_t cut = ~std::size_t{0};

  // The world has changed what choice points are: executions run as before have other points now.
  // True: nothing was planned that depends on them, or it is forgotten. False: make a new strategy.
  virtual bool restart() { return false; }

  // --- Searches that learn which statement follows which (hapset) ---

  // Asks the world to note where steps are called from, in these numbers. nullptr: not needed.
  virtual CallContexts* contexts() { return nullptr; }
  // Called before end(), if contexts() was asked for: of the trace, and of what left() was told.
  // Valid until end() returns.
  virtual void called_from(std::span<const ContextId>, std::span<const ContextId>) {}
  // What was learned; nullptr: nothing of this kind.
  virtual const PredecessorSets* sets() const { return nullptr; }

  // A few words for the progress line: "bound 2", "depth 3".
  virtual std::string progress() const { return {}; }
  // What was done so far, if the search has strata; the last one may not be finished.
  virtual std::vector<Stratum> strata() const { return {}; }
  // Looks at Option::operation; otherwise a world may leave it out.
  virtual bool wants_operations() const { return true; }
  // Asks the world to let the others run on when a part of the tasks is deadlocked, if the search
  // goes on after a bug.
  virtual bool wants_late_deadlocks() const { return false; }

  // --- Searches that know states again, or that jump (ses, pb with a cache, ...) ---

  // Asks the world for visit(); it costs time at every step.
  virtual bool wants_states() const { return false; }
  // False: State::fingerprint may be left empty, if it costs anything.
  virtual bool wants_fingerprints() const { return wants_states(); }
  // Called in every state where the world stops, the last one included, before choose() is asked
  // for it. False: the state is known, and the execution ends here as of no use any more.
  virtual bool visit(const State&) { return true; }
  // Where the next execution begins, asked right after begin(); nullptr: at the start. The trace of
  // such an execution has only the steps behind that state. Only if a State had a keeper.
  virtual const SavedState* origin() const { return nullptr; }
  // Another one that takes part in this search from a kernel thread of its own; the search gives
  // the same result with any number of them. nullptr: the strategy works alone.
  virtual std::unique_ptr<Strategy> partner() { return nullptr; }
  // Asked once after every end(): the execution is part of the result. A partner may have run ahead
  // in vain. Executions count in one order: the next one waits in its end() until this was asked.
  virtual bool counts() const { return true; }
  // The last call of a kernel thread, whatever made it stop: the others do not wait for it any
  // more.
  virtual void leave() {}
};

}  // namespace ricercar
