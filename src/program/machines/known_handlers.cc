#include "machines/known_handlers.h"

#include <algorithm>

namespace ricercar::machines {
namespace {

bool is_timer(const Effect& effect) {
  return effect.kind == Effect::start_timer || effect.kind == Effect::stop_timer;
}

// How many machines there must be so that all targets exist.
std::uint32_t machines_for(const Cell& cell) {
  std::uint32_t most = 0;
  if (!cell.effects) return most;
  for (const Effect& effect : cell.effects->all) {
    if (!is_timer(effect)) most = std::max(most, effect.target + 1);
  }
  return most;
}

}  // namespace

void KnownHandler::put_into(Cell& cell) const {
  cell.phase = phase;
  cell.stack = stack;
  cell.object = object;
  cell.object_hash = object_hash;
  cell.object_is_exact = object_is_exact;
  cell.object_is_hashed = true;
  cell.suspension = suspension;
  cell.progress = progress;
}

Hash KnownHandlers::key(std::uint32_t machine, const Cell& cell, const Event& event) {
  Hasher hasher;
  hasher.add(std::uint64_t{machine} << 32 | cell.type->number);
  hasher.add(cell.object_hash);
  std::uint64_t states = cell.stack.size();
  for (const std::uint16_t state : cell.stack) {
    if (states >> 48 != 0) hasher.add(states);
    states = states << 16 | state;
  }
  hasher.add(states);
  if (event) hasher.add(event->hash);
  if (cell.suspension) hasher.add(cell.suspension->hash);
  return hasher.result();
}

Hash KnownHandlers::behind(const Hash& key, std::uint32_t chosen) {
  Hasher hasher;
  hasher.add(key);
  hasher.add(chosen);
  return hasher.result();
}

bool KnownHandlers::is_exact(const Cell& cell, const Event& event) {
  return cell.object_is_exact && (!event || event->is_exact) &&
         (!cell.suspension || cell.suspension->is_exact);
}

const KnownHandler* KnownHandlers::find(const Hash& key) const {
  const KnownHandler& known = table_[key.low % slots];
  return known.phase != Phase::fresh && known.key == key ? &known : nullptr;
}

KnownHandler& KnownHandlers::put(const Hash& key) {
  KnownHandler& known = table_[key.low % slots];
  known = {};
  known.key = key;
  known.phase = Phase::ready;
  return known;
}

void KnownHandlers::add_choice(const Hash& key, std::uint32_t choices) {
  put(key).choices = choices;
}

void KnownHandlers::add_result(const Hash& key, const Cell& cell) {
  KnownHandler& known = put(key);
  known.phase = cell.phase;
  known.stack = cell.stack;
  known.object = cell.object;
  known.object_hash = cell.object_hash;
  known.object_is_exact = cell.object_is_exact;
  known.effects = cell.effects;
  known.suspension = cell.suspension;
  known.progress = cell.progress;
  known.machines = machines_for(cell);
  known.uses_timers = uses_timers(cell);
}

bool KnownHandlers::uses_timers(const Cell& cell) {
  if (!cell.effects) return false;
  const PoolVector<Effect>& effects = cell.effects->all;
  return std::any_of(effects.begin(), effects.end(), is_timer);
}

}  // namespace ricercar::machines
