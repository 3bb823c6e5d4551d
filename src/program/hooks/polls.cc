// Hooks: waiting for descriptors.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/real_function.h"
#include "threads/polling.h"
#include "threads/signals.h"

namespace ricercar::inline hooks {
namespace {

int to_int(long raw) { return static_cast<int>(as_result(raw)); }

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK int poll(pollfd* entries, nfds_t count, int timeout_ms) {
  if (!controlled()) return RICERCAR_BEHIND(poll)(entries, count, timeout_ms);
  return to_int(poll_descriptors("poll", entries, count, TimeLimit::milliseconds(timeout_ms),
                                 RICERCAR_SITE()));
}
RICERCAR_HOOK int ppoll(pollfd* entries, nfds_t count, const timespec* timeout,
                        const sigset_t* mask) {
  if (!controlled()) return RICERCAR_BEHIND(ppoll)(entries, count, timeout, mask);
  const OtherMask during(mask, RICERCAR_SITE());
  if (during.has_let_in()) return to_int(-EINTR);
  return to_int(poll_descriptors("ppoll", entries, count, TimeLimit::of(timeout), RICERCAR_SITE()));
}
// What the compiler calls instead when it wants the size of the list checked.
extern "C" [[noreturn]] void __chk_fail();

RICERCAR_HOOK int __poll_chk(pollfd* entries, nfds_t count, int timeout_ms, size_t room) {
  if (count > room / sizeof *entries) __chk_fail();
  if (!controlled()) return RICERCAR_BEHIND(poll)(entries, count, timeout_ms);
  return to_int(poll_descriptors("poll", entries, count, TimeLimit::milliseconds(timeout_ms),
                                 RICERCAR_SITE()));
}

RICERCAR_HOOK int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* timeout) {
  if (!controlled()) return RICERCAR_BEHIND(select)(count, read, write, except, timeout);
  return to_int(select_descriptors("select", count, {read, write, except}, TimeLimit::of(timeout),
                                   RICERCAR_SITE()));
}
RICERCAR_HOOK int pselect(int count, fd_set* read, fd_set* write, fd_set* except,
                          const timespec* timeout, const sigset_t* mask) {
  if (!controlled()) return RICERCAR_BEHIND(pselect)(count, read, write, except, timeout, mask);
  const OtherMask during(mask, RICERCAR_SITE());
  if (during.has_let_in()) return to_int(-EINTR);
  return to_int(select_descriptors("pselect", count, {read, write, except}, TimeLimit::of(timeout),
                                   RICERCAR_SITE()));
}

RICERCAR_HOOK int epoll_wait(int epoll, epoll_event* events, int count, int timeout_ms) {
  if (!controlled()) return RICERCAR_BEHIND(epoll_wait)(epoll, events, count, timeout_ms);
  return to_int(epoll_descriptors("epoll_wait", epoll, events, count,
                                  TimeLimit::milliseconds(timeout_ms), RICERCAR_SITE()));
}
RICERCAR_HOOK int epoll_pwait(int epoll, epoll_event* events, int count, int timeout_ms,
                              const sigset_t* mask) {
  if (!controlled()) return RICERCAR_BEHIND(epoll_pwait)(epoll, events, count, timeout_ms, mask);
  const OtherMask during(mask, RICERCAR_SITE());
  if (during.has_let_in()) return to_int(-EINTR);
  return to_int(epoll_descriptors("epoll_pwait", epoll, events, count,
                                  TimeLimit::milliseconds(timeout_ms), RICERCAR_SITE()));
}
RICERCAR_HOOK int epoll_pwait2(int epoll, epoll_event* events, int count, const timespec* timeout,
                               const sigset_t* mask) {
  if (!controlled()) return RICERCAR_BEHIND(epoll_pwait2)(epoll, events, count, timeout, mask);
  const OtherMask during(mask, RICERCAR_SITE());
  if (during.has_let_in()) return to_int(-EINTR);
  return to_int(epoll_descriptors("epoll_pwait2", epoll, events, count, TimeLimit::of(timeout),
                                  RICERCAR_SITE()));
}
// What others wait for may change. Who is told of an event has seen what was done before the
// descriptor was added: the event's data are often a pointer to it.
RICERCAR_HOOK int epoll_ctl(int epoll, int operation, int number, epoll_event* event) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(epoll_ctl)(epoll, operation, number, event);
  const Descriptor descriptor = describe(epoll);
  announce(descriptor, RICERCAR_SITE(), "epoll_ctl");
  released_through(descriptor);
  const int result = RICERCAR_BEHIND(epoll_ctl)(epoll, operation, number, event);
  refresh_blocked_calls();
  return result;
}
