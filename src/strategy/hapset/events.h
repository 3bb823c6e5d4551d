// The events of an execution that predecessor sets are about, and what is learned from them: the
// paper's LEARNHAPSETS. Kept for as long as executions share a prefix: only what is new is looked
// at.
//
// An event comes right after the last one of another thread on the same object if the two conflict
// and its own thread has not touched the object in between: so the paper's examples count, which
// say more than its pseudo code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "strategy/happens_before.h"
#include "strategy/hapset/effect.h"
#include "strategy/hapset/statements.h"

namespace ricercar::inline strategy {

class RunEvents {
 public:
  explicit RunEvents(Statements& statements) : statements_(statements) {}

  struct Event {
    std::uint64_t object;
    std::uint32_t step;  // in the trace; behind its end: pending operations
    Statements::Statement statement;
    TaskId task;
    Effect effect;
    std::uint8_t size;  // bytes of the object

    std::uint64_t end() const { return object + size; }
  };

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(events_), by_step_, trace_size_, plain(records_), last_, round_);
  }

  // Forgets the events that begin at this step of the trace or later.
  void rewind(std::uint64_t step);
  // Goes on to the end of the trace. Learns from what is new if the execution was a good one.
  void extend(Trace trace, std::span<const ContextId> contexts, bool is_good);
  // Pending operations, as if they were steps behind the trace. They have no predecessors.
  void add_left(Trace left, std::span<const ContextId> contexts);

  // The event of a step; nullptr: it is none.
  const Event* at(std::uint32_t step) const {
    const std::uint32_t event = step < by_step_.size() ? by_step_[step] : none;
    return event == none ? nullptr : &events_[event];
  }

  // What an execution would show in which the two slots of a race come the other way round. `left`:
  // the pending operations. Empty: nothing that predecessor sets are about.
  std::optional<PredecessorSets::Pair> turned_around(const HappensBefore& order,
                                                     const HappensBefore::Race& race,
                                                     Trace left) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // One word of memory that an event touches.
  struct Record {
    std::uint64_t word;
    std::uint32_t event;
    std::uint32_t previous;  // of the same word
    std::uint32_t other;     // the last one of the same word and another task
    TaskId task;
  };

  static PredecessorSets::Pair pair(const Event& later, const Event& earlier) {
    return {later.statement, earlier.statement, later.task < earlier.task};
  }
  static bool conflict(const Event& a, const Event& b) {
    return a.task != b.task && a.object < b.end() && b.object < a.end() &&
           ricercar::conflict(a.effect, b.effect);
  }
  // The step does what the last event has done: nothing is learned from it.
  bool repeats(const Step& step, Statements::Statement statement);
  const Event* add(const Step& step, Statements::Statement statement, std::uint32_t at);
  void touch(const Event& event, bool learns);
  void learn(const Event& event, std::uint32_t previous);
  std::optional<PredecessorSets::Pair> first_conflict(std::uint32_t later, std::uint32_t later_end,
                                                      std::uint32_t earlier,
                                                      std::uint32_t earlier_end) const;

  Statements& statements_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> by_step_;  // the event of each step
  std::uint32_t trace_size_ = 0;
  std::vector<Record> records_;
  // The last record of a word, if it is of this round: all are forgotten at once.
  struct Last {
    std::uint32_t round;
    std::uint32_t record;
  };
  std::uint32_t& last(std::uint64_t word) {
    Last& found = last_.at(word, {round_, none});
    if (found.round != round_) found = {round_, none};
    return found.record;
  }

  FlatMap<Last> last_;
  std::uint32_t round_ = 0;
  std::vector<TaskId> seen_;  // while one event is learned
};

}  // namespace ricercar::inline strategy
