#include "base/check.h"

#include <sys/syscall.h>

#include <cstdio>

#include "base/system_call.h"

namespace ricercar::inline base {
namespace {

void ignore_text(const char*) {}

}  // namespace

void (*internal_bug_hook)(const char* text) = ignore_text;

// Written and ended with system calls of its own: the program under test may own stdio and the
// heap, and `write`, `abort` and `syscall` may be hooks.
void internal_bug(const char* file, int line, const char* what) noexcept {
  char text[512];
  const int length =
      snprintf(text, sizeof text,
               "[ricercar internal error] %s:%d: %s\nThis is a fault in Ricercar, not in your "
               "program. Please report it with the command line that led here.\n",
               file, line, what);
  if (length > 0) system_call(SYS_write, 2, reinterpret_cast<long>(text), length);
  internal_bug_hook(text);
  for (;;) system_call(SYS_exit_group, 3);
}

}  // namespace ricercar::inline base
