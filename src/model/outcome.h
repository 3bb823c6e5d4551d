// Outcomes: how an execution ended, and the one table of bug kinds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace ricercar::inline model {

// X(enumerator, "name", "one sentence")
#define RICERCAR_BUG_KINDS(X)                                                                    \
  X(ok, "ok", "The execution ended as it should.")                                               \
  X(assertion, "assertion", "An assertion of the program failed.")                               \
  X(crash, "crash", "The program was stopped by a signal.")                                      \
  X(exception, "exception", "An exception was not caught.")                                      \
  X(exit, "exit", "The program ended with a non-zero status.")                                   \
  X(deadlock, "deadlock", "Some threads wait for each other and can never go on.")               \
  X(livelock, "livelock", "The threads run forever under a fair schedule without any progress.") \
  X(data_race, "data-race", "Two threads access the same memory without synchronisation.")       \
  X(lock_misuse, "lock-misuse", "A synchronisation object is used against its rules.")           \
  X(property, "property", "A property was violated.")                                            \
  X(unhandled_event, "unhandled-event",                                                          \
    "A machine received an event that its state does not handle.")                               \
  X(leak, "leak", "A thread ended and was neither joined nor detached.")                         \
  X(use_after_free, "use-after-free", "Heap memory was used or freed after it had been freed.")  \
  X(hang, "hang", "Code that is not under control did not return.")

enum class OutcomeKind : std::uint8_t {
#define RICERCAR_ENUMERATOR(enumerator, name, sentence) enumerator,
  RICERCAR_BUG_KINDS(RICERCAR_ENUMERATOR)
#undef RICERCAR_ENUMERATOR
};

struct OutcomeKindInfo {
  std::string_view name;
  std::string_view sentence;
};

inline constexpr OutcomeKindInfo outcome_kinds[] = {
#define RICERCAR_ROW(enumerator, name, sentence) {name, sentence},
    RICERCAR_BUG_KINDS(RICERCAR_ROW)
#undef RICERCAR_ROW
};

constexpr const OutcomeKindInfo& info(OutcomeKind kind) {
  return outcome_kinds[static_cast<std::uint8_t>(kind)];
}

struct Outcome {
  OutcomeKind kind = OutcomeKind::ok;
  // What is known without debug information: "assertion `x == 1' failed in f (a.cc:12)".
  std::string message;
  TaskId task = no_task;     // the task in which it showed
  std::uint64_t site = 0;    // where, if there is one place
  std::uint64_t object = 0;  // the memory or the object in question, if there is one
  // A data race: the earlier access. Both accesses are of `object`.
  TaskId other_task = no_task;
  std::uint64_t other_site = 0;
  std::uint64_t other_event = 0;  // a number that the world gave to the earlier access
  bool is_write = false;
  bool other_is_write = false;
  int number = 0;  // the signal of a crash, the status of an exit

  bool is_bug() const { return kind != OutcomeKind::ok; }
};

}  // namespace ricercar::inline model
