// One machine in one state of the system. Cells are shared by all states in which the machine is
// the same; a cell that is shared is never changed (World::own makes a copy first).
#pragma once

#include <memory>
#include <vector>

#include "machines/dispatch.h"
#include "model/ids.h"
#include "model/operation.h"
#include "model/outcome.h"

namespace ricercar::machines {

using detail::ObjectRef;

template <typename T>
using PoolVector = std::vector<T, detail::PoolAllocator<T>>;

// Something that a handler has asked for and that has not happened yet. A handler runs to its end
// at once, because nothing that others do can change it; what it does to others happens later, one
// scheduling point after the other.
struct Effect {
  enum Kind : std::uint8_t {
    send,
    create,
    announce,
    start_timer,
    stop_timer,
    crash,
    restart,
    hint,
    fail,
  } kind = send;
  bool is_point = true;                   // others may run behind it
  OutcomeKind failure = OutcomeKind::ok;  // fail
  std::uint32_t target = 0;               // a machine, or the slot of a timer
  Event event;                            // what is sent; the message of a failure
  ObjectRef object;                       // create: the variables of the new machine
  std::uint64_t what = 0, value = 0;      // hint; `what` of a timer: the event type's number
};

OperationKind operation_of(Effect::Kind kind);

// All effects of a handler, in the order in which they will happen. Shared by the states in
// between, and not changed once the handler is over.
struct EffectList : detail::Counted, detail::Pooled {
  PoolVector<Effect> all;
  PoolVector<Hash> rest;  // of each effect and those behind it; see seal()

  void seal();  // when nothing will change any more
  static void destroy(const EffectList* list) { delete list; }
};

// What a handler in progress has been told: an answer of choose, the number of a new machine, or an
// event that it received.
struct Told {
  std::uint32_t number = 0;
  Event event;
};

// A handler that waits inside of receive(). It is not kept on a stack: it is run again from its
// start, with what it was told, when the event is there.
struct Suspension {
  bool is_start = false;  // of the machine, not of an event
  Event event;            // that it handles
  std::vector<Told> told;
  std::uint32_t effects = 0;  // that have happened before
  std::vector<const detail::EventType*> wanted;
  Hash hash;  // of all of this; see seal()
  bool is_exact = true;

  void seal();  // when nothing will change any more
};

// How a handler came to where it is, of which some effects have not happened yet: what a crash
// leaves are the variables as they were when the last of the others happened.
struct Progress {
  ObjectRef object;  // before the handler
  StateStack stack;
  bool is_start = false;
  Event event;
  std::vector<Told> told;
  std::uint32_t effects = 0;  // all of them
  Hash hash;                  // of all of this; see seal()

  void seal();  // when nothing will change any more
};

enum class Phase : std::uint8_t {
  fresh,      // has not entered its first state yet
  ready,      // waits for an event, or has one
  receiving,  // inside of receive()
  halted,     // for ever
  crashed,    // until it is restarted
  timer,      // not a machine: a timer, armed if its queue is not empty
};

struct Cell : detail::Counted, detail::Pooled {
  const MachineType* type = nullptr;  // of a timer: nullptr
  Phase phase = Phase::fresh;
  bool object_is_hashed = false;
  bool object_is_exact = false;  // its hash (Hasher::is_exact)
  bool runs = false;             // can_run(), since the last update()
  bool restarted = false;        // it was crashed before
  Hash object_hash;
  Hash hash;  // of all of this, with the machine's number
  ObjectRef object;
  ObjectRef first;  // as it was created by the set-up, for a restart; others: null
  StateStack stack;
  PoolVector<Event> queue;                // the oldest one first
  detail::Reference<EffectList> effects;  // null: none are left
  std::uint32_t next_effect = 0;
  std::shared_ptr<const Suspension> suspension;
  std::shared_ptr<const Progress> progress;  // of machines with a member crash()
  // Of a timer.
  std::uint32_t owner = 0;
  const detail::EventType* timer_event = nullptr;

  static void destroy(const Cell* cell) { delete cell; }

  bool has_effects() const { return static_cast<bool>(effects); }
  std::uint32_t effects_left() const {
    return effects ? static_cast<std::uint32_t>(effects->all.size()) - next_effect : 0;
  }
  void clear_effects() {
    effects = {};
    next_effect = 0;
  }
  // The index of the event that it would take next; none: queue.size().
  std::size_t next_event() const;
  bool can_run() const;
  Operation pending(std::uint32_t number) const;  // what it would do next
  void hash_object();
  // To be called after a change, with the machine's number.
  void update(std::uint32_t number, bool with_hash);
  Hash hash_with(Hasher hasher) const;  // under a renaming of machines
};

}  // namespace ricercar::machines
