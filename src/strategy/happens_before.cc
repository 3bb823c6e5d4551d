#include "strategy/happens_before.h"

#include <functional>
#include <tuple>

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t granule = 8;  // bytes; objects are found by it

bool may_time_out(const Step& step) {
  return (step.flags & step_timeout) != 0 || step.kind == OperationKind::wake ||
         gate_of(step.kind).timed;
}

}  // namespace

void HappensBefore::clear() {
  seen_ = 0;
  clocks_.clear();
  slots_.clear();
  for (std::vector<std::uint32_t>& slots : task_slots_) slots.clear();
  records_.clear();
  undo_.clear();
  for (Object& object : objects_) object.state = {};
  task_clocks_.assign(width_, 0);
  waiting_.assign(width_, 0);
  clocks_.assign(width_, 0);  // the clock at offset 0 is that of a task that has done nothing
}

bool HappensBefore::has_room_for(const Step& step) const {
  if (index(step.task) >= width_) return false;
  return step.kind != OperationKind::create || step.value < width_;
}

void HappensBefore::grow(const Step& step) {
  std::uint64_t needed = index(step.task) + std::uint64_t{1};
  if (step.kind == OperationKind::create) needed = std::max(needed, step.value + 1);
  width_ = std::max<std::uint32_t>(4, width_);
  while (width_ < needed) width_ *= 2;
  task_slots_.resize(width_);
}

std::uint64_t HappensBefore::make_room(Trace pending) {
  const std::uint64_t seen = seen_;
  for (const Step& each : pending) {
    Step step = {};
    step.kind = OperationKind::touch;
    step.task = each.task;
    if (has_room_for(step)) continue;
    grow(step);
    clear();
  }
  return seen;
}

void HappensBefore::make_room_for(std::uint32_t task_count) {
  width_ = task_count;
  task_slots_.resize(task_count);
  clear();
}

void HappensBefore::rewind(std::uint64_t step) {
  while (!slots_.empty() && slots_.back().step >= step) {
    const Slot& slot = slots_.back();
    while (undo_.size() > slot.undo) {
      const Undo& last = undo_.back();
      if (last.kind == Undo::clock)
        task_clocks_[last.index] = static_cast<std::uint32_t>(last.value);
      if (last.kind == Undo::waiting) waiting_[last.index] = last.value;
      if (last.kind == Undo::object) objects_[last.index].state = last.state;
      undo_.pop_back();
    }
    records_.resize(slot.records);
    clocks_.resize(slot.clocks);
    task_slots_[index(slot.task)].pop_back();
    seen_ = slot.step;
    slots_.pop_back();
  }
}

void HappensBefore::extend(Trace trace, std::vector<Race>& races, std::uint64_t known) {
  const std::uint64_t first_new = std::max(seen_, known);
  if (!heap_.empty() && contended_.learn(trace, heap_)) clear();
  follow_all(trace, &races, first_new);
}

void HappensBefore::catch_up(Trace trace) {
  if (seen_ < trace.size()) follow_all(trace, nullptr, trace.size());
}

void HappensBefore::follow_all(Trace trace, std::vector<Race>* races, std::uint64_t first_new) {
  pasts_.clear();
  while (seen_ < trace.size()) {
    const Step& step = trace[seen_];
    if (!has_room_for(step)) {
      grow(step);
      clear();
      if (races != nullptr) races->clear();
      pasts_.clear();
      continue;
    }
    // What was known before had its races found before.
    std::vector<Race>* wanted = seen_ >= first_new ? races : nullptr;
    if (is_decided(step) || slots_.empty()) {
      begin_slot(step, static_cast<std::uint32_t>(seen_), wanted);
    } else {
      follow(step, wanted);
    }
    follow_heap(wanted);
    ++seen_;
  }
}

// What the step that was just looked at did to the heap.
void HappensBefore::follow_heap(std::vector<Race>* races) {
  if (heap_.empty()) return;
  for (const HeapUse& use : heap_between(heap_, seen_, seen_ + 1)) {
    if (const std::optional<Step> step = contended_.step_of(use)) follow(*step, races);
  }
}

std::uint32_t HappensBefore::copy_of(std::uint32_t clock) {
  const auto offset = static_cast<std::uint32_t>(clocks_.size());
  clocks_.resize(offset + width_);
  std::copy_n(clocks_.begin() + clock, width_, clocks_.begin() + offset);
  return offset;
}

void HappensBefore::join(std::uint32_t into, std::uint32_t from) {
  for (std::uint32_t i = 0; i < width_; ++i) {
    clocks_[into + i] = std::max(clocks_[into + i], clocks_[from + i]);
  }
}

void HappensBefore::set_clock(std::uint32_t task, std::uint32_t clock) {
  undo_.push_back({Undo::clock, task, task_clocks_[task], {}});
  task_clocks_[task] = clock;
}

void HappensBefore::join_task(std::uint32_t task, std::uint32_t clock) {
  const std::uint32_t joined = copy_of(task_clocks_[task]);
  join(joined, clock);
  set_clock(task, joined);
}

void HappensBefore::set_waiting(std::uint32_t task, std::uint64_t object) {
  undo_.push_back({Undo::waiting, task, waiting_[task], {}});
  waiting_[task] = object;
}

void HappensBefore::begin_slot(const Step& step, std::uint32_t at, std::vector<Race>* races) {
  const std::uint32_t task = index(step.task);
  std::vector<std::uint32_t>& own = task_slots_[task];
  Slot slot{at,
            static_cast<std::uint32_t>(own.size() + 1),
            0,
            step.task,
            {},
            static_cast<std::uint32_t>(records_.size()),
            static_cast<std::uint32_t>(clocks_.size()),
            static_cast<std::uint32_t>(undo_.size())};
  slot.clock = copy_of(task_clocks_[task]);
  slot.footprint.add(step, true);
  own.push_back(static_cast<std::uint32_t>(slots_.size()));
  slots_.push_back(slot);
  touch(step, true, races);
  clocks_[slot.clock + task] = slot.number;
  set_clock(task, slot.clock);
  apply_edges(step);
}

// A step without a decision: of the slot's task, or of one that the slot lets go.
void HappensBefore::follow(const Step& step, std::vector<Race>* races) {
  Slot& slot = slots_.back();
  const std::uint32_t task = index(step.task);
  slot.footprint.add(step, false);
  if (clocks_[task_clocks_[task] + index(slot.task)] < slot.number) join_task(task, slot.clock);
  touch(step, false, races);
  apply_edges(step);
}

// Who is let go by a step comes after it.
void HappensBefore::apply_edges(const Step& step) {
  const std::uint32_t task = index(step.task);
  if ((step.flags & step_value) != 0) return;
  switch (info(step.kind).role) {
    case Role::creates:
      return set_clock(static_cast<std::uint32_t>(step.value), task_clocks_[task]);
    case Role::joins:
      if ((step.flags & step_failed) != 0 || step.object >= width_) return;
      return join_task(task, task_clocks_[step.object]);
    case Role::waits:
      return set_waiting(task, step.object);
    case Role::let_go:
      return set_waiting(task, 0);
    case Role::wakes_one:
      if ((step.flags & step_failed) != 0 || step.value >= width_) return;
      join_task(static_cast<std::uint32_t>(step.value), task_clocks_[task]);
      return set_waiting(static_cast<std::uint32_t>(step.value), 0);
    case Role::wakes_all:
      for (std::uint32_t i = 0; i < width_; ++i) {
        if (waiting_[i] != step.object) continue;
        join_task(i, task_clocks_[task]);
        set_waiting(i, 0);
      }
      return;
    case Role::none:
    case Role::locks:
    case Role::unlocks:
    case Role::follows:
      return;
  }
}

// Their order is that of their places: in which execution each of them was seen first makes no
// difference to the order of races.
std::uint32_t HappensBefore::object_at(const Touch& extent) {
  const auto [found, fresh] = granules_.try_emplace(extent.object / granule, none);
  std::uint32_t before = none;
  std::uint32_t i = found->second;
  for (; i != none; before = i, i = objects_[i].next) {
    const Touch& other = objects_[i].extent;
    if (other.object == extent.object && other.size == extent.size) return i;
    if (std::tie(other.object, other.size) > std::tie(extent.object, extent.size)) break;
  }
  const auto added = static_cast<std::uint32_t>(objects_.size());
  objects_.push_back({extent, i, {}});
  (before == none ? found->second : objects_[before].next) = added;
  return added;
}

// The parts of an access, each in one granule.
template <typename Visit>
void HappensBefore::for_each_piece(const Step& step, bool decided, Visit visit) {
  for_each_touch(step, decided, [&](const Touch& touch) {
    const std::uint64_t end = touch.object + touch.size;
    for (std::uint64_t at = touch.object; at < end;) {
      const std::uint64_t next = std::min(end, (at / granule + 1) * granule);
      visit(Touch{at, static_cast<std::uint32_t>(next - at), touch.writes});
      at = next;
    }
  });
}

// The records that a part of an access comes after, or could come before.
void HappensBefore::find_earlier(const Touch& piece) {
  const auto found = granules_.find(piece.object / granule);
  if (found == granules_.end()) return;
  for (std::uint32_t i = found->second; i != none; i = objects_[i].next) {
    const Object& object = objects_[i];
    if (!object.extent.overlaps(piece)) continue;
    if (object.state.last_write != none) before_.push_back(object.state.last_write);
    for (std::uint32_t read = object.state.reads; piece.writes && read != none;
         read = records_[read].previous) {
      before_.push_back(read);
    }
    // Writes come one after the other: what comes before one comes before all later ones.
    for (std::uint32_t write = object.state.last_write; wants_chain_ && write != none;
         write = records_[write].previous_write) {
      if (is_in({&clocks_[chain_clock_], width_}, records_[write])) break;
      chain_.push_back(write);
      for (std::uint32_t read = records_[write].previous; piece.writes && read != none;
           read = records_[read].previous) {
        chain_.push_back(read);
      }
    }
    for (int gate = 0; gate < 2; ++gate) {
      if (object.state.open[gate] != none) gates_.push_back(object.state.open[gate] << 1 | gate);
    }
  }
}

void HappensBefore::touch_piece(const Touch& piece, std::uint8_t open) {
  const std::uint32_t own = object_at(piece);
  find_earlier(piece);
  State& state = objects_[own].state;
  undo_.push_back({Undo::object, own, 0, state});
  const auto record = static_cast<std::uint32_t>(records_.size());
  records_.push_back(
      {static_cast<std::uint32_t>(slots_.size() - 1), none, state.reads, state.last_write});
  if (piece.writes) {
    state.last_write = record;
    state.reads = none;
  } else {
    state.reads = record;
  }
  if ((open & open_to_one) != 0) state.open[0] = record;
  if ((open & open_to_readers) != 0) state.open[1] = record;
}

void HappensBefore::touch(const Step& step, bool decided, std::vector<Race>* races) {
  before_.clear();
  gates_.clear();
  chain_.clear();
  wants_chain_ = races != nullptr && (all_conflicts_ || (decided && may_time_out(step)));
  chain_clock_ = task_clocks_[index(step.task)];
  const std::size_t first_record = records_.size();
  for_each_piece(step, decided, [&](const Touch& piece) { touch_piece(piece, step.open); });
  if (records_.size() == first_record) return;
  std::sort(before_.begin(), before_.end(), std::greater<>());
  if (races != nullptr && !decided) complete_races(*races);
  if (races != nullptr && !(before_.empty() && gates_.empty())) find_races(step, decided, *races);
  const std::uint32_t task = index(step.task);
  std::uint32_t clock = slots_.back().clock;
  if (!decided && !before_.empty()) {
    clock = copy_of(task_clocks_[task]);
    set_clock(task, clock);
  } else if (!decided) {
    clock = task_clocks_[task];
  }
  for (const std::uint32_t record : before_) join(clock, records_[record].clock);
  if (!decided && step.task == slots_.back().task) slots_.back().clock = clock;
  for (std::size_t i = first_record; i < records_.size(); ++i) records_[i].clock = clock;
}

// What a later step of a slot comes after must come before the slot in the reversal of its races,
// too: a slot is moved as a whole.
void HappensBefore::complete_races(const std::vector<Race>& races) {
  const auto slot = static_cast<std::uint32_t>(slots_.size() - 1);
  for (std::size_t i = races.size(); i-- > 0 && races[i].second == slot;) {
    add_to_past(races[i].past, slots_[races[i].first]);
  }
}

// All that this access comes after, unless it comes after the first slot of a race itself.
void HappensBefore::add_to_past(std::uint32_t past, const Slot& first) {
  for (const std::uint32_t record : before_) {
    const std::uint32_t clock = records_[record].clock;
    if (clocks_[clock + index(first.task)] >= first.number) continue;
    for (std::uint32_t i = 0; i < width_; ++i) {
      pasts_[past + i] = std::max(pasts_[past + i], clocks_[clock + i]);
    }
  }
}

bool HappensBefore::is_in(std::span<const std::uint32_t> clock, const Record& record) const {
  const Slot& slot = slots_[record.slot];
  return slot.number <= clock[index(slot.task)];
}

// From the last access to the first, so that one which comes before another one is not taken.
void HappensBefore::find_races(const Step& step, bool decided, std::vector<Race>& races) {
  if (info(step.kind).role == Role::follows) return;
  const Gate gate = decided && (step.flags & step_timeout) == 0 ? gate_of(step.kind) : Gate{};
  const std::uint32_t* own = &clocks_[task_clocks_[index(step.task)]];
  if (gate.open != 0) {
    const std::uint32_t wanted = gate.open == open_to_one ? 0 : 1;
    for (const std::uint32_t candidate : gates_) {
      if ((candidate & 1) != wanted) continue;
      if (!is_in({own, width_}, records_[candidate >> 1])) {
        add_race(candidate >> 1, step, decided, races);
      }
    }
    if (!gate.timed && !all_conflicts_) return;
  }
  // A time limit comes when it is the earliest. Where that is cannot be told from the trace: every
  // place is tried.
  for (const std::uint32_t candidate : chain_) {
    if (!is_in({own, width_}, records_[candidate])) add_race(candidate, step, decided, races);
  }
  scratch_.assign(own, own + width_);
  for (const std::uint32_t candidate : before_) {
    const Record& record = records_[candidate];
    if (is_in(scratch_, record)) continue;
    add_race(candidate, step, decided, races);
    for (std::uint32_t i = 0; i < width_; ++i) {
      scratch_[i] = std::max(scratch_[i], clocks_[record.clock + i]);
    }
  }
}

void HappensBefore::add_race(std::uint32_t record, const Step& step, bool decided,
                             std::vector<Race>& races) {
  const Slot& first = slots_[records_[record].slot];
  const auto past = static_cast<std::uint32_t>(pasts_.size());
  const std::uint32_t own = task_clocks_[index(step.task)];
  pasts_.insert(pasts_.end(), clocks_.begin() + own, clocks_.begin() + own + width_);
  add_to_past(past, first);
  races.push_back({records_[record].slot, static_cast<std::uint32_t>(slots_.size() - 1), !decided,
                   step.task, past, Footprint{},
                   step.kind == OperationKind::use || step.kind == OperationKind::release});
}

std::uint32_t HappensBefore::slot_at(std::uint32_t step) const {
  const auto found =
      std::lower_bound(slots_.begin(), slots_.end(), step,
                       [](const Slot& slot, std::uint32_t at) { return slot.step < at; });
  if (found == slots_.end() || found->step != step) return none;
  return static_cast<std::uint32_t>(found - slots_.begin());
}

void HappensBefore::add_blocked(const Step& step, std::vector<Race>& races) {
  if ((step.flags & step_blocked) == 0) return;
  const Gate gate = gate_of(step.kind);
  if (gate.open == 0 || index(step.task) >= width_) return;
  const auto found = granules_.find(step.object / granule);
  if (found == granules_.end()) return;
  const Touch wanted{step.object, 1, true};
  for (std::uint32_t i = found->second; i != none; i = objects_[i].next) {
    if (!objects_[i].extent.overlaps(wanted)) continue;
    const std::uint32_t record = objects_[i].state.open[gate.open == open_to_one ? 0 : 1];
    if (record == none) continue;
    const std::uint32_t own = task_clocks_[index(step.task)];
    if (is_in({&clocks_[own], width_}, records_[record])) continue;
    before_.clear();
    add_race(record, step, true, races);
    races.back().second = none;
    races.back().footprint.add_pending(step);
  }
}

void HappensBefore::add_pending(const Step& step, std::vector<Race>& races) {
  if ((step.flags & step_blocked) != 0 || index(step.task) >= width_ || slots_.empty()) return;
  before_.clear();
  gates_.clear();
  chain_.clear();
  wants_chain_ = all_conflicts_ || may_time_out(step);
  chain_clock_ = task_clocks_[index(step.task)];
  for_each_piece(step, true, [&](const Touch& piece) { find_earlier(piece); });
  std::sort(before_.begin(), before_.end(), std::greater<>());
  const std::size_t known = races.size();
  find_races(step, true, races);
  for (std::size_t i = known; i < races.size(); ++i) {
    races[i].second = none;
    races[i].footprint.add_pending(step);
  }
}

}  // namespace ricercar::inline strategy
