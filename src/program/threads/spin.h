// Spinning, found exactly. A task that comes back to the same read-only operation with the same
// registers and the same stack, and has written nothing in between, will do so for ever unless
// somebody else writes: it is not offered to the search again before that. If nobody is left who
// could, it is a livelock. This needs no yield in the program and prunes no behaviour: an iteration
// that only reads leaves everything as it was.
//
// A loop that counts how often it has looked is never in the same state. Who has looked thousands
// of times while nobody wrote anything is treated like somebody who yields: the others get their
// turn.
#pragma once

#include <cstdint>

#include "threads/task.h"

namespace ricercar::inline threads {

// What the program's registers held when it called the last hook: those that a call preserves, and
// the stack pointer. Written by the stubs in threads/entry.h.
struct EntryRegisters {
  std::uint64_t rbx, rbp, r12, r13, r14, r15, rsp;
};
extern "C" EntryRegisters ricercar_entry_registers;

void check_spin_slow(Task& task);
// The task has looked so often that its anchor moves no further away.
void long_look(Task& task);

inline constexpr std::uint32_t longest_window = 1024;

// Before a read-only operation of `task`. May take the task out of the options until somebody
// writes.
inline void check_spin(Task& task, std::uint64_t site) {
  SpinAnchor& anchor = task.spin;
  if (__builtin_expect(anchor.site == site, 0)) {
    check_spin_slow(task);
  } else if (anchor.count++ >= anchor.window) {
    // Brent's cycle detection: the anchor moves after 1, 2, 4, ... operations.
    anchor.site = site;
    anchor.state = 0;
    anchor.count = 0;
    if (anchor.window < longest_window) {
      anchor.window = anchor.window * 2 + 1;
    } else {
      long_look(task);
    }
  }
}

// The task has written something: whatever it does next, it has moved on.
inline void reset_spin(Task& task) {
  task.spin.site = 0;
  task.spin.window = 0;
  task.spin.count = 0;
}

}  // namespace ricercar::inline threads
