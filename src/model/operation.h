// Operations: what a task does at a point of its execution, and the one table of their kinds. All
// that depends on the kind alone and matters for more than one purpose is a column there, so that a
// new kind cannot be forgotten anywhere.
#pragma once

#include <cstdint>

#include "model/ids.h"

namespace ricercar::inline model {

// What an operation touches, and so which others it depends on; dependence.h has the rules.
enum class Touches : std::uint8_t {
  nothing,
  reads,          // its object: commutes with other reads
  writes,         // its object: depends on every operation on it
  if_chosen,      // writes its object, if the task was chosen for it
  and_its_lock,   // writes its object and the lock that it gives back
  task_list,      // writes which tasks there are
  own_end,        // writes the end of its task
  others_end,     // reads the end of another one, if it was chosen for that
  other_task,     // writes the task that it is about
  file_names,     // reads which names of files there are
  changes_names,  // writes them
  fixes_names,    // writes them, because it is about what a name stands for, and only looks
  reads_file,     // reads an open file, and the names
  writes_file,    // writes an open file, and reads the names
  key_list,       // writes which thread keys there are
  key_and_list,   // writes them and one of them
  block,          // reads the life of a block of the heap
  frees_block,    // writes it
};

enum class Access : std::uint8_t { none, read, write };

// What has to be true of its object before it can go on; see Open in trace.h.
enum class WaitsFor : std::uint8_t {
  nothing,
  one,        // the object is open to one
  one_timed,  // the same; when its time comes it goes on without
  readers,    // the object is open to readers
  readers_timed,
  attempt,  // nothing, but it may fail: then it has changed nothing
};

// How it puts tasks in order, beyond what it touches.
enum class Role : std::uint8_t {
  none,
  creates,    // the task `value` begins after it
  joins,      // it comes after all that the task `object` did
  waits,      // until it is woken
  wakes_one,  // the task `value` goes on after it
  wakes_all,  // all that wait on the object do
  let_go,     // it follows what another task did just before, unless it was chosen
  locks,      // the object is the task's from here
  unlocks,    // up to here
  follows,    // it comes after what was done to its object, and could not come before
};

// What it is for predecessor sets of HaPSet. Two conflict unless both read, both wait or both
// notify.
enum class Effect : std::uint8_t { none, read, write, wait, notify };

// X(name, touches, waits for, role, effect, "words for a report")
// clang-format off
#define RICERCAR_OPERATION_KINDS(X) \
  X(start,                   nothing,       nothing,       none,      none,   "starts")                                   \
  X(end,                     own_end,       nothing,       none,      none,   "ends")                                     \
  X(create,                  task_list,     nothing,       creates,   none,   "creates")                                  \
  X(join,                    others_end,    nothing,       joins,     none,   "joins")                                    \
  X(detach,                  nothing,       nothing,       none,      none,   "detaches")                                 \
  X(lock,                    writes,        one,           locks,     write,  "locks")                                    \
  X(try_lock,                writes,        attempt,       locks,     write,  "tries to lock")                            \
  X(timed_lock,              writes,        one_timed,     locks,     write,  "locks, with a time limit,")                \
  X(unlock,                  writes,        nothing,       unlocks,   none,   "unlocks")                                  \
  X(relock,                  writes,        one,           locks,     write,  "wakes and locks")                          \
  X(read_lock,               writes,        readers,       locks,     read,   "locks for reading")                        \
  X(try_read_lock,           writes,        attempt,       locks,     read,   "tries to lock for reading")                \
  X(timed_read_lock,         writes,        readers_timed, locks,     read,   "locks for reading, with a time limit,")    \
  X(write_lock,              writes,        one,           locks,     write,  "locks for writing")                        \
  X(try_write_lock,          writes,        attempt,       locks,     write,  "tries to lock for writing")                \
  X(timed_write_lock,        writes,        one_timed,     locks,     write,  "locks for writing, with a time limit,")    \
  X(read_unlock,             writes,        nothing,       unlocks,   none,   "unlocks (reading)")                        \
  X(write_unlock,            writes,        nothing,       unlocks,   none,   "unlocks (writing)")                        \
  X(wait,                    and_its_lock,  nothing,       waits,     wait,   "waits on")                                 \
  X(timed_wait,              and_its_lock,  nothing,       waits,     wait,   "waits, with a time limit, on")             \
  X(wake,                    if_chosen,     nothing,       let_go,    none,   "wakes from its wait on")                   \
  X(timeout,                 nothing,       nothing,       none,      none,   "times out of its wait on")                 \
  X(signal,                  writes,        nothing,       wakes_one, notify, "signals")                                  \
  X(broadcast,               writes,        nothing,       wakes_all, notify, "broadcasts")                               \
  X(semaphore_wait,          writes,        one,           none,      write,  "takes from semaphore")                     \
  X(semaphore_try_wait,      writes,        attempt,       none,      write,  "tries to take from semaphore")             \
  X(semaphore_timed_wait,    writes,        one_timed,     none,      write,  "takes, with a time limit, from semaphore") \
  X(semaphore_post,          writes,        nothing,       none,      write,  "posts to semaphore")                       \
  X(semaphore_value,         reads,         nothing,       none,      read,   "asks for the value of semaphore")          \
  X(barrier_arrive,          writes,        nothing,       none,      write,  "arrives at barrier")                       \
  X(barrier_leave,           nothing,       nothing,       let_go,    none,   "leaves barrier")                           \
  X(once,                    writes,        nothing,       let_go,    write,  "calls once through")                       \
  X(futex_wait,              writes,        nothing,       none,      wait,   "waits on futex")                           \
  X(futex_timed_wait,        writes,        nothing,       none,      wait,   "waits, with a time limit, on futex")       \
  X(futex_wake,              writes,        nothing,       none,      notify, "wakes futex")                              \
  X(atomic_load,             reads,         nothing,       none,      read,   "loads")                                    \
  X(atomic_store,            writes,        nothing,       none,      write,  "stores to")                                \
  X(atomic_update,           writes,        nothing,       none,      write,  "updates")                                  \
  X(atomic_compare_exchange, writes,        attempt,       none,      write,  "compares and exchanges")                   \
  X(fence,                   nothing,       nothing,       none,      none,   "executes a fence")                         \
  X(read,                    reads,         nothing,       none,      read,   "reads")                                    \
  X(write,                   writes,        nothing,       none,      write,  "writes")                                   \
  X(yield,                   nothing,       nothing,       none,      none,   "yields")                                   \
  X(sleep,                   nothing,       nothing,       none,      none,   "sleeps")                                   \
  X(choose,                  nothing,       nothing,       none,      none,   "chooses")                                  \
  X(initialise,              writes,        nothing,       none,      write,  "initialises")                              \
  X(destroy,                 writes,        nothing,       none,      write,  "destroys")                                 \
  X(allocate,                nothing,       nothing,       none,      none,   "allocates")                                \
  X(release,                 frees_block,   nothing,       none,      write,  "frees")                                    \
  X(blocking_call,           writes,        attempt,       none,      write,  "makes a blocking call")                    \
  X(file_look,               file_names,    nothing,       none,      read,   "looks for a file")                         \
  X(file_change,             changes_names, nothing,       none,      write,  "changes the names of files")               \
  X(file_status,             fixes_names,   nothing,       none,      read,   "asks for the status of a file")            \
  X(file_read,               reads_file,    nothing,       none,      read,   "reads from a file")                        \
  X(file_write,              writes_file,   nothing,       none,      write,  "moves in or writes to a file")             \
  X(exit,                    nothing,       nothing,       none,      none,   "exits the program")                        \
  X(send,                    writes,        nothing,       none,      write,  "sends to")                                 \
  X(dequeue,                 writes,        one,           none,      write,  "takes from the queue of")                  \
  X(announce,                writes,        nothing,       none,      write,  "announces to")                             \
  X(halt,                    writes,        nothing,       none,      write,  "halts")                                    \
  X(hint,                    nothing,       nothing,       none,      none,   "tells the explorer")                       \
  X(use,                     block,         nothing,       none,      read,   "uses")                                     \
  X(key_create,              key_list,      nothing,       none,      write,  "creates")                                  \
  X(key_delete,              key_and_list,  nothing,       none,      write,  "deletes")                                  \
  X(key_use,                 reads,         nothing,       none,      read,   "uses")                                     \
  X(cancel,                  writes,        nothing,       none,      write,  "cancels")                                  \
  X(cancel_look,             reads,         nothing,       none,      read,   "checks whether it is cancelled")            \
  X(deliver,                 other_task,    nothing,       none,      write,  "delivers a signal to")                     \
  X(interruptible,           nothing,       nothing,       none,      none,   "can be interrupted by a signal")           \
  X(arrive,                  writes,        nothing,       follows,   write,  "brings a message over")                    \
  X(fault,                   writes,        nothing,       none,      write,  "goes wrong")                               \
  X(touch,                   writes,        nothing,       none,      write,  "touches")                                  \
  X(glance,                  reads,         nothing,       none,      read,   "looks at")                                 \
  X(follow,                  reads,         nothing,       follows,   read,   "follows")                                  \
  X(let_pass,                writes,        one,           none,      write,  "goes on, which was kept from it")
// clang-format on

enum class OperationKind : std::uint8_t {
#define RICERCAR_ENUMERATOR(name, ...) name,
  RICERCAR_OPERATION_KINDS(RICERCAR_ENUMERATOR)
#undef RICERCAR_ENUMERATOR
};

struct OperationKindInfo {
  const char* name;
  Touches touches;
  WaitsFor waits_for;
  Role role;
  Effect effect;
  const char* words;
};

inline constexpr OperationKindInfo operation_kinds[] = {
#define RICERCAR_ROW(name, touches, waits_for, role, effect, words) \
  {#name, Touches::touches, WaitsFor::waits_for, Role::role, Effect::effect, words},
    RICERCAR_OPERATION_KINDS(RICERCAR_ROW)
#undef RICERCAR_ROW
};

constexpr const OperationKindInfo& info(OperationKind kind) {
  return operation_kinds[static_cast<std::uint8_t>(kind)];
}

// Whether it changes what it is about, or only looks at it.
constexpr Access access_of(OperationKind kind) {
  switch (info(kind).touches) {
    case Touches::nothing:
    case Touches::if_chosen:
    case Touches::task_list:
    case Touches::own_end:
    case Touches::others_end:
      return Access::none;
    case Touches::reads:
    case Touches::file_names:
    case Touches::fixes_names:
    case Touches::reads_file:
    case Touches::block:
      return Access::read;
    case Touches::writes:
    case Touches::and_its_lock:
    case Touches::other_task:
    case Touches::changes_names:
    case Touches::writes_file:
    case Touches::key_list:
    case Touches::key_and_list:
    case Touches::frees_block:
      return Access::write;
  }
  return Access::none;
}

// Reads or writes memory, so that a step has a value.
constexpr bool is_memory_access(OperationKind kind) {
  switch (kind) {
    case OperationKind::atomic_load:
    case OperationKind::atomic_store:
    case OperationKind::atomic_update:
    case OperationKind::atomic_compare_exchange:
    case OperationKind::read:
    case OperationKind::write:
      return true;
    default:
      return false;
  }
}

// A call to the file system.
constexpr bool is_file_call(OperationKind kind) {
  return kind >= OperationKind::file_look && kind <= OperationKind::file_write;
}

// What a task would do next. `object` is the address of what is operated on (0: nothing shared),
// `site` the address of the instruction after the call that announced it.
struct Operation {
  std::uint64_t object = 0;
  std::uint64_t site = 0;
  OperationKind kind = OperationKind::start;
  std::uint8_t size = 0;  // bytes of memory from `object` on, for reads, writes and atomics
};

// What a task does or would do.
struct TaskOperation {
  TaskId task = no_task;
  Operation operation;
};

}  // namespace ricercar::inline model
