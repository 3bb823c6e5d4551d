// Operations: what a task does at a point of its execution, and the one table of their kinds.
#pragma once

#include <cstdint>

#include "model/ids.h"

namespace ricercar {

// How an operation takes part in the dependence of two operations on the same object.
enum class Access : std::uint8_t {
  none,   // touches no shared object (yield, start, fence)
  read,   // commutes with other reads
  write,  // depends on every operation on the same object
};

// X(name, access, "words for a report")
#define RICERCAR_OPERATION_KINDS(X)                                          \
  X(start, none, "starts")                                                   \
  X(end, none, "ends")                                                       \
  X(create, none, "creates")                                                 \
  X(join, none, "joins")                                                     \
  X(detach, none, "detaches")                                                \
  X(lock, write, "locks")                                                    \
  X(try_lock, write, "tries to lock")                                        \
  X(timed_lock, write, "locks, with a time limit,")                          \
  X(unlock, write, "unlocks")                                                \
  X(relock, write, "wakes and locks")                                        \
  X(read_lock, write, "locks for reading")                                   \
  X(try_read_lock, write, "tries to lock for reading")                       \
  X(timed_read_lock, write, "locks for reading, with a time limit,")         \
  X(write_lock, write, "locks for writing")                                  \
  X(try_write_lock, write, "tries to lock for writing")                      \
  X(timed_write_lock, write, "locks for writing, with a time limit,")        \
  X(read_unlock, write, "unlocks (reading)")                                 \
  X(write_unlock, write, "unlocks (writing)")                                \
  X(wait, write, "waits on")                                                 \
  X(timed_wait, write, "waits, with a time limit, on")                       \
  X(wake, none, "wakes from its wait on")                                    \
  X(timeout, none, "times out of its wait on")                               \
  X(signal, write, "signals")                                                \
  X(broadcast, write, "broadcasts")                                          \
  X(semaphore_wait, write, "takes from semaphore")                           \
  X(semaphore_try_wait, write, "tries to take from semaphore")               \
  X(semaphore_timed_wait, write, "takes, with a time limit, from semaphore") \
  X(semaphore_post, write, "posts to semaphore")                             \
  X(semaphore_value, read, "asks for the value of semaphore")                \
  X(barrier_arrive, write, "arrives at barrier")                             \
  X(barrier_leave, none, "leaves barrier")                                   \
  X(once, write, "calls once through")                                       \
  X(futex_wait, write, "waits on futex")                                     \
  X(futex_timed_wait, write, "waits, with a time limit, on futex")           \
  X(futex_wake, write, "wakes futex")                                        \
  X(atomic_load, read, "loads")                                              \
  X(atomic_store, write, "stores to")                                        \
  X(atomic_update, write, "updates")                                         \
  X(atomic_compare_exchange, write, "compares and exchanges")                \
  X(fence, none, "executes a fence")                                         \
  X(read, read, "reads")                                                     \
  X(write, write, "writes")                                                  \
  X(yield, none, "yields")                                                   \
  X(sleep, none, "sleeps")                                                   \
  X(choose, none, "chooses")                                                 \
  X(initialise, write, "initialises")                                        \
  X(destroy, write, "destroys")                                              \
  X(allocate, none, "allocates")                                             \
  X(release, write, "frees")                                                 \
  X(blocking_call, write, "makes a blocking call")                           \
  X(file_look, read, "looks for a file")                                     \
  X(file_change, write, "changes the names of files")                        \
  X(file_status, read, "asks for the status of a file")                      \
  X(file_read, read, "reads from a file")                                    \
  X(file_write, write, "moves in or writes to a file")                       \
  X(exit, none, "exits the program")                                         \
  X(send, write, "sends to")                                                 \
  X(dequeue, write, "takes from the queue of")                               \
  X(announce, write, "announces to")                                         \
  X(halt, write, "halts")                                                    \
  X(hint, none, "tells the explorer")                                        \
  X(use, read, "uses")                                                       \
  X(key_create, write, "creates")                                            \
  X(key_delete, write, "deletes")                                            \
  X(key_use, read, "uses")                                                   \
  X(cancel, write, "cancels")                                                \
  X(cancel_look, read, "looks whether it is cancelled")                      \
  X(deliver, write, "delivers a signal to")                                  \
  X(interruptible, none, "can be interrupted by a signal")

enum class OperationKind : std::uint8_t {
#define RICERCAR_ENUMERATOR(name, access, words) name,
  RICERCAR_OPERATION_KINDS(RICERCAR_ENUMERATOR)
#undef RICERCAR_ENUMERATOR
};

struct OperationKindInfo {
  const char* name;
  Access access;
  const char* words;
};

inline constexpr OperationKindInfo operation_kinds[] = {
#define RICERCAR_ROW(name, access, words) {#name, Access::access, words},
    RICERCAR_OPERATION_KINDS(RICERCAR_ROW)
#undef RICERCAR_ROW
};

constexpr const OperationKindInfo& info(OperationKind kind) {
  return operation_kinds[static_cast<std::uint8_t>(kind)];
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

}  // namespace ricercar
