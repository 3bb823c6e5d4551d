// What handlers have done before. A handler is a function of the machine's variables, its states,
// the event and what it is told, so one that comes again with the same need not run again: its
// effects, and the variables that it leaves, are the same. That saves a copy of the variables,
// hashing them, and for one that waits in receive() an exception.
//
// Not remembered: handlers that create machines or fail; those that choose and use timers too; and
// those whose variables or events have a hash of their own (Hasher::is_exact). A handler that looks
// at something else than its machine (a global variable, the time) is not deterministic in any
// case; a bug that is found this way is run again without (MachineSearch::add_bug).
//
// Of a fixed size: what is in the way is forgotten. One object for each World.
#pragma once

#include <memory>

#include "machines/cell.h"

namespace ricercar::machines {

// What a handler did; or, if `choices` is not 0, among how many it has to choose next.
struct KnownHandler {
  Hash key;
  std::uint32_t choices = 0;
  std::uint32_t machines = 0;  // there have to be so many
  Phase phase = Phase::fresh;  // that it leaves; fresh: nothing is known
  bool uses_timers = false;
  bool object_is_exact = false;
  StateStack stack;
  ObjectRef object;
  Hash object_hash;
  detail::Reference<EffectList> effects;
  std::shared_ptr<const Suspension> suspension;
  std::shared_ptr<const Progress> progress;

  // All but the effects.
  void put_into(Cell& cell) const;
};

class KnownHandlers {
 public:
  // The call of a handler, by all that it depends on. No event: the machine starts.
  static Hash key(std::uint32_t machine, const Cell& cell, const Event& event);
  // The same behind a choice.
  static Hash behind(const Hash& key, std::uint32_t chosen);
  // Whether hashes say all about the machine and the event.
  static bool is_exact(const Cell& cell, const Event& event);

  // Null: not known. Valid until something is added.
  const KnownHandler* find(const Hash& key) const;
  void add_choice(const Hash& key, std::uint32_t choices);
  // What the cell is after the handler.
  void add_result(const Hash& key, const Cell& cell);

  static bool uses_timers(const Cell& cell);

 private:
  static constexpr std::size_t slots = std::size_t{1} << 14;

  KnownHandler& put(const Hash& key);

  std::unique_ptr<KnownHandler[]> table_{new KnownHandler[slots]};
};

}  // namespace ricercar::machines
