// The happens-before relation of the current execution over its slots (model/dependence.h), and the
// races in it: pairs of slots that could come in the other order. Kept for as long as executions
// share a prefix: only what is new is looked at.
//
// As in vector clocks everywhere: the clock of a slot tells for each task how many of its slots
// happened before.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/plain.h"
#include "model/dependence.h"
#include "strategy/contended_blocks.h"

namespace ricercar::inline strategy {

class HappensBefore {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Slot {
    std::uint32_t step;    // where it begins in the trace
    std::uint32_t number;  // which one of its task it is, from 1 on
    std::uint32_t clock;
    TaskId task;
    Footprint footprint;
    // What rewind() needs.
    std::uint32_t records, clocks, undo;
  };

  // `first` happened before `second` because they touch one object, and for no other reason.
  struct Race {
    std::uint32_t first;   // slots
    std::uint32_t second;  // `none`: the task could not do it; what it wanted is `footprint`
    bool carried;          // `second` is in the past of the race: it carried what races along
    TaskId task;           // of the second
    std::uint32_t past;    // a clock: what must come before the second if it comes first
    Footprint footprint;
    bool is_of_heap = false;  // one of them frees a block that the other one uses, or frees
  };

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(width_, seen_, clocks_, plain(slots_), task_slots_, task_clocks_, waiting_);
    archive(plain(records_), plain(objects_), granules_, plain(undo_), contended_);
  }

  // Races become all pairs of dependent slots of which the first does not happen before the
  // second's task came there.
  void find_all_conflicts() { all_conflicts_ = true; }

  // What happened to the heap in the trace that extend() is called with next; valid until then.
  void set_heap(HeapTrace heap) { heap_ = heap; }

  // For what was pending when the execution ended, also of tasks that have done nothing. The result
  // is how many steps of the trace were known before: it may begin anew.
  std::uint64_t make_room(Trace pending);
  // Forgets the slots that begin at this step of the trace or later.
  void rewind(std::uint64_t step);
  // Goes on to the end of the trace. `races` gets the races whose second slot is a new one, and
  // begins behind the steps of which all is known, even if it was not told of them.
  void extend(Trace trace, std::vector<Race>& races, std::uint64_t known = 0);
  // The same if all of it is known.
  void catch_up(Trace trace);
  // The races of an operation that was pending when the execution ended, if it was blocked.
  void add_blocked(const Step& step, std::vector<Race>& races);
  // Of one that could have come next, but the execution was cut there.
  void add_pending(const Step& step, std::vector<Race>& races);

  const ContendedBlocks& contended_blocks() const { return contended_; }
  ContendedBlocks& contended_blocks() { return contended_; }
  const std::vector<Slot>& slots() const { return slots_; }
  // The slot that begins at this step; `none` if there is none.
  std::uint32_t slot_at(std::uint32_t step) const;
  // The first of the slots, up to this one, that its task ran without a switch.
  std::uint32_t block_of(std::uint32_t slot) const {
    while (slot > 0 && slots_[slot - 1].task == slots_[slot].task) --slot;
    return slot;
  }
  // The slot of the same task before this one; `none`: it is the first.
  std::uint32_t before_in_task(std::uint32_t slot) const {
    const Slot& own = slots_[slot];
    return own.number < 2 ? none : task_slots_[index(own.task)][own.number - 2];
  }
  std::uint32_t task_count() const { return static_cast<std::uint32_t>(task_slots_.size()); }
  // As if it had been told of so many before. Nothing has been run.
  void make_room_for(std::uint32_t task_count);
  // The slots of a task, in order.
  const std::vector<std::uint32_t>& slots_of(std::uint32_t task) const { return task_slots_[task]; }
  std::uint32_t in_clock(std::uint32_t clock, std::uint32_t task) const {
    return clocks_[clock + task];
  }
  std::uint32_t in_past(const Race& race, std::uint32_t task) const {
    return pasts_[race.past + task];
  }
  bool is_after(std::uint32_t slot, std::uint32_t earlier) const {
    const Slot& first = slots_[earlier];
    return clocks_[slots_[slot].clock + index(first.task)] >= first.number;
  }

 private:
  struct Record {  // of an access
    std::uint32_t slot;
    std::uint32_t clock;
    std::uint32_t previous;        // among the reads of the object
    std::uint32_t previous_write;  // of the object
  };
  struct State {  // of an object: records
    std::uint32_t last_write = none;
    std::uint32_t reads = none;            // since then
    std::uint32_t open[2] = {none, none};  // the last one that found it open
  };
  struct Object {
    Touch extent;
    std::uint32_t next;  // in the same granule, by place and size
    State state;
  };
  struct Undo {
    enum Kind : std::uint32_t { clock, waiting, object } kind;
    std::uint32_t index;
    std::uint64_t value;
    State state;
  };

  void clear();
  void follow_all(Trace trace, std::vector<Race>* races, std::uint64_t first_new);
  bool has_room_for(const Step& step) const;
  void grow(const Step& step);
  void begin_slot(const Step& step, std::uint32_t at, std::vector<Race>* races);
  void follow(const Step& step, std::vector<Race>* races);
  void apply_edges(const Step& step);
  void touch(const Step& step, bool decided, std::vector<Race>* races);
  void follow_heap(std::vector<Race>* races);
  template <typename Visit>
  static void for_each_piece(const Step& step, bool decided, Visit visit);
  void find_earlier(const Touch& piece);
  void touch_piece(const Touch& piece, std::uint8_t open);
  void find_races(const Step& step, bool decided, std::vector<Race>& races);
  void add_race(std::uint32_t record, const Step& step, bool decided, std::vector<Race>& races);
  void complete_races(const std::vector<Race>& races);
  void add_to_past(std::uint32_t past, const Slot& first);
  std::uint32_t object_at(const Touch& extent);
  std::uint32_t copy_of(std::uint32_t clock);
  void join(std::uint32_t into, std::uint32_t from);
  void set_clock(std::uint32_t task, std::uint32_t clock);
  void join_task(std::uint32_t task, std::uint32_t clock);
  void set_waiting(std::uint32_t task, std::uint64_t object);
  bool is_in(std::span<const std::uint32_t> clock, const Record& record) const;

  std::uint32_t width_ = 0;  // of a clock
  std::uint64_t seen_ = 0;   // steps of the trace
  std::vector<std::uint32_t> clocks_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::uint32_t>> task_slots_;
  std::vector<std::uint32_t> task_clocks_;
  std::vector<std::uint64_t> waiting_;  // by task: the condition variable it waits on
  std::vector<Record> records_;
  std::vector<Object> objects_;
  std::unordered_map<std::uint64_t, std::uint32_t> granules_;  // to the first object
  std::vector<Undo> undo_;
  std::vector<std::uint32_t> pasts_;  // clocks of the races found by the last extend()

  // For one access.
  std::vector<std::uint32_t> before_;  // records it comes after
  std::vector<std::uint32_t> gates_;   // the last records that found its object open
  std::vector<std::uint32_t> chain_;   // all earlier writes, if its time may come at any of them
  bool wants_chain_ = false;
  std::uint32_t chain_clock_ = 0;  // what the task of the access knows before it
  bool all_conflicts_ = false;
  HeapTrace heap_;
  ContendedBlocks contended_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace ricercar::inline strategy
