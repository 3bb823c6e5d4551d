// What the effects of handlers do to the world: events arrive, machines and timers come and go,
// machines crash and are started again.
#include "base/error.h"
#include "machines/activation.h"
#include "machines/world.h"
#include "model/dependence.h"

namespace ricercar::machines {

// True if it is a scheduling point.
bool World::perform(std::uint32_t number, const Effect& effect) {
  const OperationKind kind = operation_of(effect.kind);
  switch (effect.kind) {
    case Effect::send: {
      note_to(kind, number, effect.target, effect.event->type->number);
      tell(ActKind::send, number, effect);
      enqueue(effect.target, effect.event);
      tell_monitors(effect.event, false);
      break;
    }
    case Effect::create: {
      note(kind, number, objects::queue(effect.target), effect.target);
      auto* cell = new Cell;
      cell->type = effect.object->type;
      cell->object = effect.object;
      cells_.put(effect.target, cell);
      changed_.push_back(effect.target);
      tell(ActKind::create, number, effect);
      tell_condition(effect.target);
      break;
    }
    case Effect::announce:
      note(kind, number, objects::queue(number), 0);
      tell(ActKind::announce, number, effect);
      tell_monitors(effect.event, true);
      break;
    case Effect::start_timer:
      note_to(kind, number, effect.target, 1);
      tell(ActKind::start_timer, number, effect);
      own(effect.target).queue.assign(1, effect.event);
      break;
    case Effect::stop_timer:
      note_to(kind, number, effect.target, 0);
      tell(ActKind::stop_timer, number, effect);
      own(effect.target).queue.clear();
      break;
    case Effect::crash:
      note_life(kind, number, effect.target);
      tell(ActKind::crash, number, effect);
      crash(number, effect.target);
      tell_condition(effect.target);
      break;
    case Effect::restart:
      note_life(kind, number, effect.target);
      tell(ActKind::restart, number, effect);
      restart(effect.target);
      break;
    case Effect::hint:
      note(kind, number, effect.what, effect.value);
      break;
    case Effect::fail:
      note(kind, number, 0, 0);
      fail(effect.failure, text_of_failure(effect.event), task_id(number));
      break;
  }
  return effect.is_point;
}

void World::tell(ActKind kind, std::uint32_t number, const Effect& effect) const {
  if (!story_) return;
  const bool is_announced = effect.kind == Effect::announce;
  const std::string text = effect.event ? text_of(effect.event) : "";
  story_->tell({kind, number, is_announced ? no_machine : effect.target, text.c_str()});
}

void World::enqueue(std::uint32_t target, const Event& event) {
  const Phase phase = cells_[target] ? cells_[target]->phase : Phase::halted;
  if (phase == Phase::halted || phase == Phase::crashed) return;
  own(target).queue.push_back(event);
}

void World::fire(std::uint32_t timer) {
  Cell& cell = own(timer);
  const Event event = cell.queue.front();
  cell.queue.clear();
  Step& taken = note(OperationKind::dequeue, timer, objects::queue(timer), event->type->number);
  taken.open = open_to_one;
  note_to(OperationKind::send, timer, cell.owner, event->type->number);
  if (story_) {
    const std::string text = text_of(event);
    story_->tell({ActKind::fire, timer, cell.owner, text.c_str()});
  }
  enqueue(cell.owner, event);
}

void World::crash(std::uint32_t by, std::uint32_t machine) {
  if (!cells_[machine]) return;
  const Phase phase = cells_[machine]->phase;
  if (phase == Phase::halted || phase == Phase::timer || phase == Phase::crashed) return;
  Cell& cell = own(machine);
  go_back_to_last_effect(machine, cell);
  forget(machine, cell);
  cell.object_is_hashed = false;
  cell.phase = Phase::crashed;
  cell.queue.clear();
  cell.stack.clear();
  cell.clear_effects();
  cell.suspension = nullptr;
  cell.progress = nullptr;
  stop_timers_of(by, machine);
}

// A handler runs to its end, or to where it waits, at once; its effects happen one by one. A crash
// in between finds the variables as they were in front of the next effect: the handler is run again
// up to there.
void World::go_back_to_last_effect(std::uint32_t machine, Cell& cell) {
  if (cell.type->crash == nullptr || (!cell.suspension && !cell.progress)) return;
  const std::uint32_t left = cell.effects_left();
  const Suspension* waits = cell.suspension.get();
  const std::uint32_t all = waits != nullptr ? waits->effects : cell.progress->effects;
  Cell again(cell);
  if (waits == nullptr) {
    again.object = cell.progress->object;
    again.stack = cell.progress->stack;
  }
  again.object = cell.type->clone(*again.object);
  const bool is_start = waits != nullptr ? waits->is_start : cell.progress->is_start;
  // A handler that waits has come to the end of its effects only if none is left.
  const std::uint32_t most = left == 0 ? ~0U : all - left;
  Activation activation(*this, machine, again, waits != nullptr ? waits->told : cell.progress->told,
                        ~0U, most);
  activation.run(is_start ? Event{} : waits != nullptr ? waits->event : cell.progress->event);
  cell.object = again.object;
}

// The variables become what survives a crash.
void World::forget(std::uint32_t machine, Cell& cell) {
  if (cell.type->crash != nullptr) {
    cell.object = cell.type->clone(*cell.object);
    cell.type->crash(cell.object->variables);
  } else if (cell.first) {
    cell.object = cell.first;
  } else {
    throw UsageError(name_of(machine) +
                     " was created by another machine and can be crashed only if it has a member "
                     "`void crash()`, which forgets what does not survive");
  }
}

void World::stop_timers_of(std::uint32_t by, std::uint32_t machine) {
  for (std::uint32_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i] || cells_[i]->phase != Phase::timer || cells_[i]->owner != machine) continue;
    if (cells_[i]->queue.empty()) continue;
    note_to(OperationKind::destroy, by, i, 0);
    own(i).queue.clear();
  }
}

void World::restart(std::uint32_t machine) {
  if (!cells_[machine] || cells_[machine]->phase != Phase::crashed) return;
  Cell& cell = own(machine);
  cell.phase = Phase::fresh;
  cell.restarted = true;
}

std::uint32_t World::reserve_slot() {
  if (cells_.size() >= max_tasks) {
    throw UsageError("more than " + std::to_string(max_tasks) +
                     " machines and timers; numbers are not used again, so create fewer");
  }
  return cells_.add();
}

std::uint32_t World::find_timer(std::uint32_t owner, std::uint32_t event) const {
  for (std::uint32_t i = 0; i < cells_.size(); ++i) {
    const Cell* cell = cells_[i];
    if (cell && cell->phase == Phase::timer && cell->owner == owner &&
        cell->timer_event->number == event)
      return i;
  }
  return cells_.size();
}

std::uint32_t World::timer_slot(std::uint32_t owner, const detail::EventType& event) {
  if (const std::uint32_t known = find_timer(owner, event.number); known != cells_.size())
    return known;
  const std::uint32_t slot = reserve_slot();
  note(OperationKind::initialise, owner, objects::task_list, slot);
  auto* cell = new Cell;
  cell->phase = Phase::timer;
  cell->owner = owner;
  cell->timer_event = &event;
  cells_.put(slot, cell);
  changed_.push_back(slot);
  note(OperationKind::create, owner, objects::queue(slot), slot);
  return slot;
}

}  // namespace ricercar::machines
