#include "base/check.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace ricercar {

// Writes with plain system calls: the program under test may own stdio, the heap and `abort`.
void internal_bug(const char* file, int line, const char* what) noexcept {
  char text[512];
  const int length =
      snprintf(text, sizeof text,
               "[ricercar internal bug] %s:%d: %s\nThis is a fault of Ricercar, not of your "
               "program. Please report it with the command line that led here.\n",
               file, line, what);
  if (length > 0) {
    [[maybe_unused]] const auto written = ::write(2, text, std::strlen(text));
  }
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGABRT, &action, nullptr);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGABRT);
  _exit(3);
}

}  // namespace ricercar
