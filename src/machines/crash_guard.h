// Comes back from a handler that crashed or called abort: by a jump, so that what the handler had
// on its stack is lost, but not the search. One at a time on each kernel thread.
//
//   CrashGuard guard;
//   if (RICERCAR_GUARDED(guard)) { handler(); } else { report(guard.message()); }
#pragma once

#include <setjmp.h>

#include <string>

namespace ricercar::machines {

class CrashGuard {
 public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

  std::string message() const;
  bool is_assertion() const;

  jmp_buf jump;  // NOLINT(misc-non-private-member-variables-in-classes): for the macro

 private:
  CrashGuard* before_;
};

// setjmp must be called where its frame lives on.
#define RICERCAR_GUARDED(guard) (_setjmp((guard).jump) == 0)

// Handlers for the signals of crashes, and for assert(). Once in a process.
void install_crash_guard();

// A failed assert() on this thread: jumps back to the guard. Returns if there is none.
void assertion_failed(const char* condition, const char* file, unsigned line, const char* function);

}  // namespace ricercar::machines
