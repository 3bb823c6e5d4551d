#include "nodes/property_watch.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace ricercar::inline nodes {
namespace {

constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

Control* watched_control = nullptr;
double allowed_seconds = 0;
// Written by the thread that asks, read by handlers of signals that interrupt it.
const char* volatile asked = nullptr;
volatile unsigned ticks = 0;  // seconds that the property takes already

[[noreturn]] void end_search(const char* what) {
  std::snprintf(watched_control->error, sizeof watched_control->error, "the property '%s' %s",
                static_cast<const char*>(asked), what);
  watched_control->status = Status::failed;
  ::_exit(worker_done);
}

void on_crash(int number) {
  if (asked != nullptr) {
    char what[128];
    std::snprintf(what, sizeof what, "has crashed: %s", ::sigdescr_np(number));
    end_search(what);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void on_tick(int) {
  if (asked == nullptr) return;
  ticks = ticks + 1;
  if (ticks <= allowed_seconds) return;
  char what[128];
  std::snprintf(what, sizeof what, "did not come back within %.0f seconds", allowed_seconds);
  end_search(what);
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

// Endless recursion leaves no room on the stack, so handlers have one of their own.
void watch_properties(Control& control, double hang_seconds) {
  static char stack[1 << 16];
  const stack_t own = {stack, 0, sizeof stack};
  ::sigaltstack(&own, nullptr);
  watched_control = &control;
  allowed_seconds = hang_seconds;
  for (const int number : crashes) handle(number, on_crash);
  handle(SIGALRM, on_tick);
  const itimerval every_second = {{1, 0}, {1, 0}};
  ::setitimer(ITIMER_REAL, &every_second, nullptr);
}

AskedProperty::AskedProperty(const char* name) {
  ticks = 0;
  asked = name;
}

AskedProperty::~AskedProperty() { asked = nullptr; }

}  // namespace ricercar::inline nodes
