#include "threads/polling.h"

#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "threads/buffers.h"
#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/memory/snapshot.h"
#include "threads/real.h"
#include "threads/sleep.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {
namespace {

template <typename T>
long argument(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Waits as long as `ready` says no and the limit allows it. What is ready is asked for again by the
// caller. False: a signal has interrupted it.
bool wait_for_any(const char* name, bool (*ready)(void*), bool (*watches)(void*, int), void* state,
                  TimeLimit limit, std::uint64_t site) {
  if (limit.is_zero()) {
    const std::uint64_t earliest = program_state.descriptor_timers.earliest();
    if (earliest != no_timer) look_at_clock(site);  // a loop that asks only lets time pass
    announce(kernel_channel(), site, name);
    return true;
  }
  const std::uint64_t deadline = execution.clock.now() + limit.nanoseconds();
  const Readiness why = wait_until_ready(
      {name, ready, state, all_descriptors(), limit.is_forever() ? nullptr : &deadline, watches,
       /*restarts=*/false},
      site);
  return why != Readiness::interrupted;
}

// A loop that looks again and again without waiting must let others run.
long finish(long result, TimeLimit limit) {
  if (result == 0 && limit.is_zero()) looked_in_vain();
  return result;
}

struct PollCall {
  pollfd* entries;
  nfds_t count;

  bool contains(int number) const {
    return std::any_of(entries, entries + count,
                       [number](const pollfd& entry) { return entry.fd == number; });
  }

  long ask() const {
    return patient_call(SYS_poll, argument(entries), static_cast<long>(count), 0);
  }
};

// The kernel writes its answer over the question, so each question is a copy.
struct SelectCall {
  int count;
  SelectSets sets;

  static fd_set* copy(fd_set* to, const fd_set* from) {
    if (from == nullptr) return nullptr;
    std::memcpy(to, from, sizeof *to);
    return to;
  }
  long ask(SelectSets answer) const {
    timeval zero = {0, 0};
    return patient_call(SYS_select, count, argument(answer.read), argument(answer.write),
                        argument(answer.except), argument(&zero));
  }
  bool contains(int number) const {
    return number < count && sets.read != nullptr && FD_ISSET(number, sets.read);
  }
  bool is_ready() const {
    fd_set read;
    fd_set write;
    fd_set except;
    return ask({copy(&read, sets.read), copy(&write, sets.write), copy(&except, sets.except)}) != 0;
  }
};

std::uint64_t from_seconds(time_t seconds, long nanoseconds) {
  return VirtualClock::to_nanoseconds({std::max<time_t>(seconds, 0), nanoseconds});
}

}  // namespace

TimeLimit TimeLimit::of(const timespec* time) {
  return time == nullptr ? forever() : TimeLimit(from_seconds(time->tv_sec, time->tv_nsec));
}
TimeLimit TimeLimit::of(const timeval* time) {
  return time == nullptr ? forever() : TimeLimit(from_seconds(time->tv_sec, time->tv_usec * 1000));
}

long poll_descriptors(const char* name, pollfd* entries, nfds_t count, TimeLimit limit,
                      std::uint64_t site) {
  for (nfds_t i = 0; i < count; ++i) {
    program_reads(entries + i, offsetof(pollfd, revents), site);
    program_writes(&entries[i].revents, sizeof entries[i].revents, site);
  }
  snapshot_expect_write(entries, count * sizeof *entries);
  PollCall call = {entries, count};
  const bool goes_on = wait_for_any(
      name, [](void* state) { return static_cast<PollCall*>(state)->ask() != 0; },
      [](void* state, int number) { return static_cast<PollCall*>(state)->contains(number); },
      &call, limit, site);
  if (!goes_on) return -EINTR;
  const long result = call.ask();
  for (nfds_t i = 0; i < count && result > 0; ++i) {
    if ((entries[i].revents & (POLLIN | POLLHUP)) != 0) acquired_through(describe(entries[i].fd));
  }
  return finish(result, limit);
}

long select_descriptors(const char* name, int count, SelectSets sets, TimeLimit limit,
                        std::uint64_t site) {
  SelectCall call = {std::min(count, FD_SETSIZE), sets};
  const bool goes_on = wait_for_any(
      name, [](void* state) { return static_cast<SelectCall*>(state)->is_ready(); },
      [](void* state, int number) { return static_cast<SelectCall*>(state)->contains(number); },
      &call, limit, site);
  if (!goes_on) return -EINTR;
  const long result = call.ask(sets);
  for (int i = 0; i < call.count && result > 0 && sets.read != nullptr; ++i) {
    if (FD_ISSET(i, sets.read)) acquired_through(describe(i));
  }
  return finish(result, limit);
}

// An epoll descriptor can itself be polled: it is ready when it has events to tell. Which
// descriptors it looks at only the kernel knows: it may be any timer.
long epoll_descriptors(const char* name, int epoll, epoll_event* events, int count, TimeLimit limit,
                       std::uint64_t site) {
  pollfd entry = {epoll, POLLIN, 0};
  PollCall call = {&entry, 1};
  const bool goes_on = wait_for_any(
      name, [](void* state) { return static_cast<PollCall*>(state)->ask() != 0; },
      [](void*, int) { return true; }, &call, limit, site);
  if (!goes_on) return -EINTR;
  const Filling filling(events, static_cast<std::size_t>(std::max(count, 0)) * sizeof *events,
                        site);
  const long result = patient_call(SYS_epoll_wait, epoll, argument(events), count, 0);
  if (result > 0) {
    acquired_through(describe(epoll));
    filling.filled(static_cast<std::size_t>(result) * sizeof *events);
  }
  return finish(result, limit);
}

}  // namespace ricercar::inline threads
