#include "machines/cell.h"

#include "model/dependence.h"

namespace ricercar::machines {
namespace {

Hash hash_of_event(const Event& event, const Hasher& hasher) {
  if (!event) return {};
  if (!hasher.renames()) return event->hash;
  Hasher renamed = hasher.fresh();
  renamed.add(event->type->number);
  event->type->hash(event->payload, renamed);
  return renamed.result();
}

void add_object(Hasher& hasher, const ObjectRef& object) {
  hasher.add(object->type->number);
  object->type->hash(object->variables, hasher);
}

void add_effect(Hasher& hasher, const Effect& effect) {
  hasher.add(std::uint64_t{effect.kind} << 8 | std::uint64_t{effect.is_point});
  hasher.add(MachineId(effect.target));
  hasher.add(hash_of_event(effect.event, hasher));
  hasher.add(effect.what);
  hasher.add(effect.value);
  if (effect.object) add_object(hasher, effect.object);
}

void add_suspension(Hasher& hasher, const Suspension& suspension) {
  hasher.add(std::uint64_t{suspension.is_start});
  hasher.add(hash_of_event(suspension.event, hasher));
  hasher.add(suspension.effects);
  for (const Told& told : suspension.told) {
    hasher.add(told.number);
    hasher.add(hash_of_event(told.event, hasher));
  }
}

void add_progress(Hasher& hasher, const Progress& progress) {
  add_object(hasher, progress.object);
  for (const std::uint16_t state : progress.stack) hasher.add(state);
  hasher.add(hash_of_event(progress.event, hasher));
  hasher.add(progress.effects);
  for (const Told& told : progress.told) {
    hasher.add(told.number);
    hasher.add(hash_of_event(told.event, hasher));
  }
}

}  // namespace

void EffectList::seal() {
  rest.resize(all.size());
  Hash behind;
  for (std::size_t i = all.size(); i-- > 0;) {
    Hasher hasher;
    add_effect(hasher, all[i]);
    hasher.add(behind);
    behind = rest[i] = hasher.result();
  }
}

void Suspension::seal() {
  Hasher hasher;
  add_suspension(hasher, *this);
  hash = hasher.result();
  is_exact = !event || event->is_exact;
  for (const Told& one : told) is_exact = is_exact && (!one.event || one.event->is_exact);
}

void Progress::seal() {
  Hasher hasher;
  add_progress(hasher, *this);
  hash = hasher.result();
}

std::size_t Cell::next_event() const {
  if (phase == Phase::timer) return 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (phase == Phase::receiving) {
      for (const detail::EventType* wanted : suspension->wanted) {
        if (queue[i]->type == wanted) return i;
      }
    } else if (!is_deferred(*type, stack, queue[i]->type->number)) {
      return i;
    }
  }
  return queue.size();
}

bool Cell::can_run() const {
  switch (phase) {
    case Phase::fresh:
      return true;
    case Phase::ready:
    case Phase::receiving:
      return has_effects() || next_event() < queue.size();
    case Phase::timer:
      return !queue.empty();
    case Phase::halted:
    case Phase::crashed:
      return has_effects();
  }
  return false;
}

OperationKind operation_of(Effect::Kind kind) {
  switch (kind) {
    case Effect::send:
      return OperationKind::send;
    case Effect::create:
      return OperationKind::create;
    case Effect::announce:
      return OperationKind::announce;
    case Effect::start_timer:
    case Effect::stop_timer:
    case Effect::restart:
      return OperationKind::initialise;
    case Effect::crash:
      return OperationKind::destroy;
    case Effect::hint:
      return OperationKind::hint;
    case Effect::fail:
      return OperationKind::exit;
  }
  return OperationKind::exit;
}

Operation Cell::pending(std::uint32_t number) const {
  Operation operation;
  const bool starts = phase == Phase::fresh && !restarted;  // as World::run_next_handler notes it
  operation.kind = starts ? OperationKind::start : OperationKind::dequeue;
  operation.object = objects::queue(number);
  if (!has_effects()) return operation;
  const Effect& effect = effects->all[next_effect];
  operation.kind = operation_of(effect.kind);
  operation.object = objects::queue(effect.target);
  return operation;
}

Hash Cell::hash_with(Hasher hasher) const {
  hasher.add((type != nullptr ? type->number + 1 : 0) |
             std::uint64_t{static_cast<std::uint8_t>(phase)} << 32);
  if (phase == Phase::halted && !has_effects()) return hasher.result();
  if (object) {
    if (hasher.renames()) {
      add_object(hasher, object);
    } else {
      hasher.add(object_hash);
    }
  }
  for (const std::uint16_t state : stack) hasher.add(state);
  hasher.add(stack.size() << 32 | queue.size());
  for (const Event& event : queue) hasher.add(hash_of_event(event, hasher));
  if (hasher.renames()) {
    for (std::size_t i = next_effect; effects && i < effects->all.size(); ++i)
      add_effect(hasher, effects->all[i]);
    if (suspension) add_suspension(hasher, *suspension);
    if (progress) add_progress(hasher, *progress);
  } else {
    if (effects) hasher.add(effects->rest[next_effect]);
    if (suspension) hasher.add(suspension->hash);
    if (progress) hasher.add(progress->hash);
  }
  if (phase == Phase::timer) {
    hasher.add(MachineId(owner));
    hasher.add(timer_event->number);
  }
  return hasher.result();
}

void Cell::hash_object() {
  if (object_is_hashed) return;
  Hasher hasher;
  add_object(hasher, object);
  object_hash = hasher.result();
  object_is_exact = hasher.is_exact();
  object_is_hashed = true;
}

void Cell::update(std::uint32_t number, bool with_hash) {
  runs = can_run();
  if (!with_hash) return;
  if (object) hash_object();
  Hasher hasher;
  hasher.add(number);
  hash = hash_with(hasher);
}

}  // namespace ricercar::machines
