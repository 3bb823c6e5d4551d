// What a strategy may offer besides deciding. Each capability is a small interface; a strategy
// derives from those that it has (StrategyWith in strategy.h), and the worlds and the search ask
// for them by type: `if (auto* states = strategy.as<KnowsStates>()) ...`.
//
// A new one is a class here, its place in AllCapabilities, and how a wrapper passes it on
// (strategy/wrapper.h): without that no wrapper compiles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/plain.h"
#include "model/call_contexts.h"
#include "model/state.h"
#include "model/stratum.h"
#include "model/trace.h"

namespace ricercar::inline strategy {

class PredecessorSets;  // see strategy/hapset/predecessor_sets.h
class Strategy;

// Knows states again, or jumps. It costs time at every step.
class KnowsStates {
 public:
  virtual ~KnowsStates() = default;
  // Called in every state where the world stops, the last one included, before choose() is asked
  // for it. False: the state is known, and the execution ends here as of no use any more.
  virtual bool visit(const State& state) = 0;
  // Where the next execution begins, asked right after begin(); nullptr: at the start. The trace of
  // such an execution has only the steps behind that state. Only if a State had a keeper.
  virtual const SavedState* origin() const { return nullptr; }
  // False: State::fingerprint may be left empty, if it costs anything.
  virtual bool wants_fingerprints() const { return true; }
  // True: what there is a budget of, or what is rare otherwise, is asked for by itself, one after
  // the other, as a value with the alternatives no and yes, so that each costs one delay. It is not
  // among the tasks of the state then.
  virtual bool counts_delays() const { return false; }
  // True: it looks at what the steps of State::trace touch.
  virtual bool compares_orders() const { return false; }
};

// Wants to know what an execution has left undone. If the search goes on after a bug, the world
// lets the others run on when a part of the tasks is deadlocked.
class WantsRest {
 public:
  virtual ~WantsRest() = default;
  // Called before end() if tasks were left: what each of them would have done next, with
  // step_blocked if it could not.
  virtual void left(Trace pending) = 0;
};

// Wants to know what happens to the heap: ChoicePoint::heap, and this.
class WantsHeap {
 public:
  virtual ~WantsHeap() = default;
  // Called before end(); valid until end() returns.
  virtual void used_heap(HeapTrace heap) = 0;
};

// Learns which statement follows which.
class LearnsContexts {
 public:
  virtual ~LearnsContexts() = default;
  // The world notes where steps are called from, in these numbers.
  virtual CallContexts& contexts() = 0;
  // Called before end(): of the trace, and of what WantsRest was told. Valid until end() returns.
  virtual void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) = 0;
  // What was learned.
  virtual const PredecessorSets& sets() const = 0;
};

// Goes on when the world has changed what choice points are, and executions run as before have
// other points now. One that cannot is made anew.
class CanRestart {
 public:
  virtual ~CanRestart() = default;
  // Forgets what was planned and depends on points.
  virtual void restart() = 0;
};

// Searches on several kernel threads, with the same result on any number of them.
class HasPartners {
 public:
  virtual ~HasPartners() = default;
  // Another one that takes part in this search from a kernel thread of its own.
  virtual std::unique_ptr<Strategy> partner() = 0;
  // Asked once after every end(): the execution is part of the result. A partner may have run ahead
  // in vain. Executions count in one order: the next one waits in its end() until this was asked.
  virtual bool counts() = 0;
  // The last call of a kernel thread, whatever made it stop: the others do not wait for it any
  // more.
  virtual void leave() = 0;
};

// What a piece of a search has shown, as bytes.
struct PieceEnd {
  std::string shown;              // for HasPieces::merge
  std::vector<std::string> rest;  // pieces that it has left, in order; they come right after it
  bool is_done = false;           // all of it was searched, but for `rest`
  // Of a search with an ExecutionPlan instead: what each execution of the piece has shown, in the
  // order in which they were run.
  std::vector<std::string> runs = {};
};

// Of a search whose executions count one by one, in an order that depends on what they show. They
// are run ahead of their turn, in pieces.
class ExecutionPlan {
 public:
  virtual ~ExecutionPlan() = default;
  // The next piece, by a number of its own; none: nothing is known that nobody runs or has run.
  // `only_next`: nothing but what the search waits for.
  virtual std::optional<std::string> next_runs(std::uint64_t number, bool only_next) = 0;
  // Somebody has to bring the piece back.
  virtual bool is_awaited(std::uint64_t number) const = 0;
  // What has become of it. Its executions get numbers, `first` is that of the first one. Returns
  // which of them are kept for their turn.
  virtual std::vector<std::uint64_t> came_back(std::uint64_t number,
                                               std::span<const std::string> runs,
                                               std::uint64_t first) = 0;
  // The execution whose turn it is, if it was run; and whether it counts from now on, or is to be
  // run again.
  virtual std::optional<std::uint64_t> turn() const = 0;
  virtual void count_turn() = 0;
  virtual void run_turn_again() = 0;
  // A piece in which the one whose turn it is was run, and nothing else.
  virtual std::string piece_of_turn() = 0;
  // Those that were kept and are not any more, since this was asked last.
  virtual std::vector<std::uint64_t> take_useless() = 0;
  virtual std::uint64_t kept() const = 0;
  // All has been counted.
  virtual bool has_ended() const = 0;
};

// Can be cut into pieces, in one order, which are searched apart from each other, by any process
// and at any time, with the same result. A piece is bytes that mean the same in every process.
// Which pieces there are does not depend on who searches them.
class HasPieces {
 public:
  virtual ~HasPieces() = default;
  // Asked right after begin(): the execution is the first one of a piece. What the world keeps for
  // its own use must not live longer than a piece.
  virtual bool begins_piece() const = 0;
  // Of the same execution: it belongs to the piece that the search began with.
  virtual bool is_first_piece() const = 0;

  // --- Of a strategy that searches single pieces ---

  // From now on begin() begins the executions of this piece, and says false at its end.
  virtual void take(std::string_view piece) = 0;
  // What it has shown so far.
  virtual PieceEnd give() = 0;
  // Its executions count one by one: see ExecutionPlan. Then take(), give() and these are all that
  // is used here.
  virtual ExecutionPlan* execution_plan() { return nullptr; }
  // Of a piece of samples: how many of the whole search come before its first one.
  virtual std::uint64_t samples_before() const { return 0; }

  // --- Of a strategy that has the whole, and runs no execution itself ---

  // The next one in order, if it is known by now and was not handed out. `most`: executions of the
  // whole search; 0: no limit.
  virtual std::optional<std::string> next_piece(std::uint64_t most) = 0;
  // Called in order. Then coverage() says what one who had run all of these executions would say.
  virtual void merge(std::string_view shown) = 0;
  // Where a piece stands that comes right behind what was merged, or would if all of it was known
  // when it was made.
  enum class Place : std::uint8_t {
    next,     // there
    later,    // something comes before it, which next_piece() tells
    nowhere,  // it was a guess that has turned out to be wrong
  };
  virtual Place place_of(std::string_view) { return Place::next; }
  // What the piece at that place has shown holds: nothing that it has relied on has changed since
  // it was made. If not, next_piece() tells what is to be searched instead.
  virtual bool is_right(std::string_view piece, std::string_view shown) {
    (void)piece, (void)shown;
    return true;
  }
  // A piece at that place will never be searched. False: what comes behind it needs it, and nothing
  // more can be merged.
  virtual bool pass_over(std::string_view) { return false; }
  // What was merged is all there is, whatever else was handed out.
  virtual bool is_over() const { return false; }
  // All pieces have been merged, and there is no other one.
  virtual void finish() {}
};

class HasStrata {
 public:
  virtual ~HasStrata() = default;
  // What was done so far; the last one may not be finished.
  virtual std::vector<Stratum> strata() const = 0;
};

// Searches in two parts: what is worth most, and then the rest.
class HasFirstPart {
 public:
  virtual ~HasFirstPart() = default;
  // The executions until it had ended; 0: it goes on.
  virtual std::uint64_t first_part() const = 0;
};

class ShowsProgress {
 public:
  virtual ~ShowsProgress() = default;
  // A few words for the progress line: "bound 2", "depth 3".
  virtual std::string progress() const = 0;
};

// How often an action has run through a block of the program's code.
struct BlockCount {
  std::uint32_t block;  // numbered from 0 on, the same in every execution
  std::uint32_t times;
};

// Learns which blocks an action runs through. A world that cannot tell calls nothing here.
class LearnsBlocks {
 public:
  virtual ~LearnsBlocks() = default;
  // Called before choose() at a schedule point: for each option what the same action has in every
  // execution.
  virtual void actions(std::span<const std::uint64_t> keys) = 0;
  // The actions have let `node` run through these blocks.
  virtual void covered(std::span<const std::uint64_t> keys, std::uint32_t node,
                       std::span<const BlockCount> blocks) = 0;
};

// Does not look at Option::operation, and a world may leave it out.
class IgnoresOperations {
 public:
  virtual ~IgnoresOperations() = default;
};

// Draws each execution from the same distribution, or nearly so: how often traces come again says
// how likely the next one is new.
class Samples {
 public:
  virtual ~Samples() = default;
};

// Is asked wherever a task could go on, also if it is the only one: others, of whom the world knows
// nothing, could go on instead. It may answer Strategy::again.
class SeesEveryPoint {
 public:
  virtual ~SeesEveryPoint() = default;
};

// Can be written down between two executions, and goes on in another process as if nothing had
// been.
class CanBeKept {
 public:
  virtual ~CanBeKept() = default;
  virtual void save(KeptOut& out) const = 0;
  // Called once, on one that was made from the same specification and has begun nothing.
  virtual void load(KeptIn& in) = 0;
};

template <typename... Capability>
struct CapabilityList {};

using AllCapabilities =
    CapabilityList<KnowsStates, WantsRest, WantsHeap, LearnsContexts, CanRestart, HasPartners,
                   HasPieces, HasStrata, HasFirstPart, ShowsProgress, LearnsBlocks,
                   IgnoresOperations, Samples, SeesEveryPoint, CanBeKept>;

// Which of them one strategy offers.
class Capabilities {
 public:
  template <typename Capability>
  Capability* get() const {
    return std::get<Capability*>(offered_);
  }
  template <typename Capability>
  void add(Capability* capability) {
    std::get<Capability*>(offered_) = capability;
  }
  template <typename Capability>
  void remove() {
    std::get<Capability*>(offered_) = nullptr;
  }

 private:
  template <typename List>
  struct Pointers;
  template <typename... Capability>
  struct Pointers<CapabilityList<Capability...>> {
    using Type = std::tuple<Capability*...>;
  };

  Pointers<AllCapabilities>::Type offered_{};
};

}  // namespace ricercar::inline strategy
