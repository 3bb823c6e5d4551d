// Comes back from a handler that crashed, called abort or hangs: by a jump, so that what the
// handler had on its stack is lost, but not the search. One at a time on each kernel thread.
//
//   CrashGuard guard;
//   if (RICERCAR_GUARDED(guard)) { handler(); } else { report(guard.message()); }
#pragma once

#include <pthread.h>
#include <setjmp.h>

#include <memory>
#include <string>

#include "model/outcome.h"

namespace ricercar::machines {

class CrashGuard {
 public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

  OutcomeKind kind() const;  // crash, assertion or hang
  std::string message() const;

  jmp_buf jump;  // NOLINT(misc-non-private-member-variables-in-classes): for the macro

 private:
  CrashGuard* before_;
};

// setjmp must be called where its frame lives on.
#define RICERCAR_GUARDED(guard) (_setjmp((guard).jump) == 0)

// Handlers for the signals of crashes, and for assert(). Once in a process.
void install_crash_guard();

// A stack for the handlers of signals on this kernel thread: a handler that recurses for ever has
// none left.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::unique_ptr<char[]> memory_;
};

// Ends the handler that runs on another kernel thread with the outcome `hang`, if one runs there.
void interrupt_handler(pthread_t thread);

// A failed assert() on this thread: jumps back to the guard. Returns if there is none.
void assertion_failed(const char* condition, const char* file, unsigned line, const char* function);

}  // namespace ricercar::machines
