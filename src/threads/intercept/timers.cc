// Hooks: timers. Those that are descriptors come in virtual time. Those that interrupt the program
// with a signal are not modelled. One that could only end the
// process, like an alarm that nobody handles, is a safety net of the program against hanging, which
// the search has anyway: it is left out. Others are named.
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <string>

#include "threads/descriptor.h"
#include "threads/intercept/hook.h"
#include "threads/memory/real_function.h"
#include "threads/timer_descriptor.h"

namespace ricercar {
namespace {

[[noreturn]] void not_modelled(const char* call, std::uint64_t site) {
  execution.fail(
      OutcomeKind::hang,
      std::string(call) + " is not modelled by Ricercar: use a thread that sleeps, or a timed wait",
      site);
}

bool is_handled(int signal) {
  struct sigaction action = {};
  if (::sigaction(signal, nullptr, &action) != 0) return false;
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

int signal_of(__itimer_which_t timer) {
  if (timer == ITIMER_REAL) return SIGALRM;
  return timer == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
}

bool is_set(const itimerval& value) {
  return value.it_value.tv_sec != 0 || value.it_value.tv_usec != 0;
}

}  // namespace
}  // namespace ricercar

using namespace ricercar;

RICERCAR_HOOK unsigned alarm(unsigned seconds) {
  if (!controlled()) return RICERCAR_BEHIND(alarm)(seconds);
  if (seconds != 0 && is_handled(SIGALRM)) not_modelled("alarm()", RICERCAR_SITE());
  return 0;
}
RICERCAR_HOOK useconds_t ualarm(useconds_t value, useconds_t interval) {
  if (!controlled()) return RICERCAR_BEHIND(ualarm)(value, interval);
  if (value != 0 && is_handled(SIGALRM)) not_modelled("ualarm()", RICERCAR_SITE());
  return 0;
}
RICERCAR_HOOK int setitimer(__itimer_which_t timer, const itimerval* value, itimerval* old) {
  if (!controlled()) return RICERCAR_BEHIND(setitimer)(timer, value, old);
  if (value != nullptr && is_set(*value) && is_handled(signal_of(timer))) {
    not_modelled("setitimer()", RICERCAR_SITE());
  }
  if (old != nullptr) *old = {};
  return 0;
}
RICERCAR_HOOK int timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  if (!controlled()) return RICERCAR_BEHIND(timer_create)(clock, event, timer);
  not_modelled("timer_create()", RICERCAR_SITE());
}
RICERCAR_HOOK int timerfd_create(__clockid_t clock, int flags) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timerfd_create)(clock, flags);
  return static_cast<int>(as_result(timer_create_descriptor(clock, flags, RICERCAR_SITE())));
}
RICERCAR_HOOK int timerfd_settime(int number, int flags, const itimerspec* value,
                                  itimerspec* old) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timerfd_settime)(number, flags, value, old);
  return static_cast<int>(as_result(timer_set(number, flags, value, old, RICERCAR_SITE())));
}
RICERCAR_HOOK int timerfd_gettime(int number, itimerspec* value) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(timerfd_gettime)(number, value);
  return static_cast<int>(as_result(timer_get(number, value)));
}
