// Who sleeps along an execution of a best-first search: tasks that were taken at a point before the
// one that this execution takes there, until something happens that depends on what they did. All
// that begins with them is explored below them, whenever that comes.
//
// Why nothing is lost although the order is not depth first, and why no trace is run twice:
//
// At the end of a search there is a tree of all executions. The children of a point have an order,
// that in which they were first run; who sleeps below a child is who slept at the point or is an
// earlier child, and is independent of it. (Godefroid's sleep sets, with this order in place of the
// depth-first one.) For each race (p, e) of each execution, cut or not, p being taken at a point E,
// somebody can begin the reversal of the race who is a child at E or sleeps there: an initial of
// what has to come before e, and e. That is all that is used.
//
// Claim: if a sequence w is possible at a point E, and none that sleeps there is an initial of w,
// then an execution below E begins with w, up to equivalence. By induction over the tree, from its
// leaves. If a child at E is an initial of w, take the earliest such child p: w is p w' up to
// equivalence, nobody who sleeps below p is an initial of w' (he would be one of w: an earlier
// child, or one that sleeps at E), and the claim holds for w' below p. If a child p is independent
// of all of w, the claim holds for w below p in the same way. Otherwise take any child p: w begins
// with w_p e, where w_p is independent of p and e is not. No initial of w_p e sleeps below p, so by
// the claim below p there is an execution with w_p e, in which p and e race. So a child at E, or
// one that sleeps there, is an initial of what e needs in w_p e, hence of w, against what was
// assumed. Nothing is missing: nobody sleeps at the root, and each maximal sequence is some w.
//
// Two executions of one trace differ first at a point E, with p earlier than q. In the second p
// sleeps after q until something depends on p; but in the first nothing comes before it. So the
// second would have to run p in its sleep, and is cut as redundant, or known to be when it ends.
//
// With persistent sets (Flanagan and Godefroid, POPL 2005) a race (p, e) asks for the task of e, if
// it can run at E and does not sleep there, otherwise for everybody who can and does not; for
// nobody if one that sleeps can begin the reversal. In the claim: if it is everybody, the first
// event of w is one of theirs, or of one that sleeps. If it is the task of e, a child r that is no
// initial of w: then its first event comes in w behind one that it depends on, before e; the same
// again for r in place of p comes to an earlier place in w each time, which has an end.
//
// If a footprint says more than the truth (everything, for a slot that touches many objects), tasks
// are woken too early: a trace may be run twice then, but nothing is lost, because the claim holds
// with any smaller sets of those who sleep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strategy/wakeup_guide.h"

namespace ricercar::inline strategy {

class SleepingSiblings {
 public:
  // It must outlive this.
  explicit SleepingSiblings(const ContendedBlocks& blocks) : guide_(no_plans_, blocks) {}

  // An execution starts.
  void begin() { guide_.start(0, no_index, {}); }

  // Takes notice of what has happened since the last point. False: a task ran in its sleep, because
  // there was no other one.
  bool follow(const ChoicePoint& point) {
    if (!guide_.follow(point)) return false;
    if (point.kind == ChoiceKind::schedule) return true;
    return !guide_.sleep().contains(static_cast<std::uint16_t>(index(point.options.task(0))));
  }
  // The same at the end of the execution.
  bool follow_to_end(Trace trace, HeapTrace heap) {
    const OptionList nobody(no_task, 0, nullptr);
    return guide_.follow({ChoiceKind::schedule, trace.size(), no_task, nobody, trace, heap});
  }

  // The execution takes `task` at the point, where these were taken before.
  void take(const ChoicePoint& point, std::uint16_t task, std::span<const Sleeper> earlier) {
    sleepers_ = guide_.sleep().all();
    sleepers_.insert(sleepers_.end(), earlier.begin(), earlier.end());
    std::erase_if(sleepers_, [task](const Sleeper& sleeper) { return sleeper.task == task; });
    guide_.start(point.step, no_index, sleepers_);
  }

  // The option to take at a new point, `wanted` if its task does not sleep; no_index: all do.
  std::uint32_t awake_option(const ChoicePoint& point, std::uint32_t wanted) const {
    if (point.kind == ChoiceKind::value) return wanted;
    return guide_.awake_option(point, wanted);
  }

  // The tasks with the numbers 0 to 63 that sleep, as bits.
  std::uint64_t mask() const {
    std::uint64_t mask = 0;
    for (const Sleeper& sleeper : guide_.sleep().all()) {
      if (sleeper.task < 64) mask |= std::uint64_t{1} << sleeper.task;
    }
    return mask;
  }

 private:
  WakeupTrees no_plans_;
  WakeupGuide guide_;
  std::vector<Sleeper> sleepers_;
};

}  // namespace ricercar::inline strategy
