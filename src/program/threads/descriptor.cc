#include "threads/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "threads/execution.h"
#include "threads/memory/descriptors.h"
#include "threads/memory/external_state.h"
#include "threads/node_files.h"
#include "threads/node_sockets.h"
#include "threads/real.h"
#include "threads/sleep.h"
#include "threads/spin.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {
namespace {

DescriptorKind kind_of(int number, mode_t mode) {
  if (number <= STDERR_FILENO) return DescriptorKind::standard;
  switch (mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK:
      return DescriptorKind::file;
    case S_IFCHR:
      return DescriptorKind::device;
    case S_IFIFO:
      return DescriptorKind::pipe;
    case S_IFSOCK:
      return DescriptorKind::socket;
    default:
      return DescriptorKind::other;
  }
}

// What the kernel has said of a descriptor, until something may have changed it.
struct Facts {
  std::uint64_t changes = 0;  // so many had been noted
  mode_t mode = 0;            // 0: it is not open
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool non_blocking = false;
  std::int64_t limits[2] = {-1, -1};  // by direction, in nanoseconds; negative: not asked for yet
};

Facts ask_kernel(int number) {
  struct stat status = {};
  if (system_call(SYS_fstat, number, reinterpret_cast<long>(&status)) != 0) return {};
  const long flags = system_call(SYS_fcntl, number, F_GETFL);
  return {descriptor_changes(), status.st_mode, status.st_dev, status.st_ino,
          (flags & O_NONBLOCK) != 0};
}

// Other processes may change what they share with this one: its standard streams. The changes are
// noted of whole programs only.
Facts& facts_of(int number) {
  static constinit Facts kept[512] = {};
  static constinit Facts other = {};
  const bool is_kept = tracking && number > STDERR_FILENO && number < 512;
  Facts& facts = is_kept ? kept[number] : other;
  if (!is_kept || facts.changes != descriptor_changes()) facts = ask_kernel(number);
  return facts;
}

bool is_ready(void* entry) {
  const auto& asked = *static_cast<pollfd*>(entry);
  if (is_node()) {
    const NodeSocket* socket = program_state.sockets.find(asked.fd);
    if (socket != nullptr && !socket->passes_hooks) {
      return program_state.sockets.is_ready(*socket, asked.events);
    }
  }
  return patient_call(SYS_poll, reinterpret_cast<long>(entry), 1, 0) > 0;
}

bool is_same(void* entry, int number) { return static_cast<pollfd*>(entry)->fd == number; }

// The time limit that the program has set for a socket; 0: none.
std::int64_t ask_for_limit(int number, Direction direction) {
  timeval limit = {};
  socklen_t size = sizeof limit;
  const int option = direction == Direction::in ? SO_RCVTIMEO : SO_SNDTIMEO;
  if (system_call(SYS_getsockopt, number, SOL_SOCKET, option, reinterpret_cast<long>(&limit),
                  reinterpret_cast<long>(&size)) != 0) {
    return 0;
  }
  return limit.tv_sec * static_cast<std::int64_t>(VirtualClock::second) + limit.tv_usec * 1000;
}

std::uint64_t time_limit(const Descriptor& descriptor, Direction direction) {
  if (descriptor.kind != DescriptorKind::socket) return 0;
  std::int64_t& limit = facts_of(descriptor.number).limits[static_cast<int>(direction)];
  if (limit < 0) limit = ask_for_limit(descriptor.number, direction);
  return static_cast<std::uint64_t>(limit);
}

}  // namespace

// Pipes are numbered. All other channels are one object, because which of them lead to each other
// is not known.
const void* all_descriptors() { return program_state.pipes.rest(); }

Descriptor describe(int number) {
  const Facts& facts = facts_of(number);
  if (facts.mode == 0) return {number, DescriptorKind::file, false, nullptr};
  const DescriptorKind kind = kind_of(number, facts.mode);
  const void* object = nullptr;
  if (kind == DescriptorKind::file) object = object_of_file(facts.device, facts.inode);
  if (kind == DescriptorKind::pipe) object = program_state.pipes.of(facts.inode, 0);
  if (kind > DescriptorKind::pipe) object = all_descriptors();
  return {number, kind, facts.non_blocking, object};
}

std::uint64_t socket_inode(int number) {
  const Facts& facts = facts_of(number);
  return S_ISSOCK(facts.mode) ? facts.inode : 0;
}

Descriptor kernel_channel() { return {-1, DescriptorKind::other, false, all_descriptors()}; }

void announce(const Descriptor& descriptor, std::uint64_t site, const char* name) {
  if (execution.tasks.alone_for_good() || !descriptor.is_channel()) return;
  if (is_node()) program_state.blocked_calls.note(execution.self().id, name);
  execution.point(OperationKind::blocking_call, descriptor.object, site);
}

void released_through(const Descriptor& descriptor) {
  RaceDetector* races = execution.races();
  if (races == nullptr || !descriptor.is_channel()) return;
  races->release(execution.self().id, reinterpret_cast<std::uint64_t>(descriptor.object));
}

void acquired_through(const Descriptor& descriptor) {
  RaceDetector* races = execution.races();
  if (races == nullptr || !descriptor.is_channel()) return;
  races->acquire(execution.self().id, reinterpret_cast<std::uint64_t>(descriptor.object));
}

void looked_in_vain() {
  if (!execution.tasks.alone_for_good()) execution.steps.last().flags |= step_failed;
  execution.scheduler().yielded();
}

void channel_changed() {
  program_state.sockets.deliver_at_once();
  kernel_meeting_changed();
  reset_spin(execution.self());
  execution.turns.written(execution.self());
  refresh_blocked_calls();
}

Readiness wait_for_events(const char* name, const Descriptor& descriptor, short events,
                          const std::uint64_t* deadline, std::uint64_t site) {
  pollfd entry = {now_open(descriptor.number), events, 0};
  return wait_until_ready({name, is_ready, &entry, descriptor.object, deadline, is_same}, site);
}

pollfd* awaited_descriptor(const BlockedCall& call) {
  return call.ready == is_ready ? static_cast<pollfd*>(call.argument) : nullptr;
}

EndpointId awaited_endpoint(const BlockedCall& call) {
  if (call.ready != is_ready || call.deadline != nullptr) return no_endpoint;
  const auto& entry = *static_cast<const pollfd*>(call.argument);
  const NodeSocket* socket = program_state.sockets.find(entry.fd);
  const bool is_known = socket != nullptr && !socket->passes_hooks && entry.events == POLLIN;
  return is_known ? socket->endpoint : no_endpoint;
}

long patient_call(long number, long a, long b, long c, long d, long e) {
  long result;
  do {
    result = system_call(number, a, b, c, d, e);
  } while (result == -EINTR);
  return result;
}

NonBlocking::NonBlocking(const Descriptor& descriptor) {
  if (descriptor.non_blocking) return;
  const int number = now_open(descriptor.number);
  flags_ = system_call(SYS_fcntl, number, F_GETFL);
  if (flags_ < 0) return;
  number_ = number;
  system_call(SYS_fcntl, number_, F_SETFL, flags_ | O_NONBLOCK);
}

NonBlocking::~NonBlocking() {
  if (number_ >= 0) system_call(SYS_fcntl, number_, F_SETFL, flags_);
}

long as_result(long raw) {
  if (raw >= 0 || raw < -4095) return raw;
  errno = static_cast<int>(-raw);
  return -1;
}

namespace descriptor_detail {

Turn begin_transfer(const Descriptor& descriptor, const Transfer& how, std::uint64_t site) {
  const bool in = how.direction == Direction::in;
  if (descriptor.kind == DescriptorKind::file) return Turn::plain;
  if (!descriptor.is_channel()) {
    // Output to the outside world is taken by it sooner or later; input may never come.
    if (in && !descriptor.non_blocking) {
      const Readiness why = wait_for_events(how.name, descriptor, POLLIN, nullptr, site);
      if (why == Readiness::interrupted) return Turn::interrupted;
    }
    return Turn::plain;
  }
  if (descriptor.non_blocking || how.non_blocking) {
    if (is_timer_descriptor(descriptor.number)) look_at_clock(site);
    announce(descriptor, site, how.name);
  } else {
    const std::uint64_t limit = time_limit(descriptor, how.direction);
    const std::uint64_t deadline = execution.clock.now() + limit;
    const Readiness why = wait_for_events(how.name, descriptor, in ? POLLIN : POLLOUT,
                                          limit != 0 ? &deadline : nullptr, site);
    if (why == Readiness::timed_out) return Turn::timed_out;
    if (why == Readiness::interrupted) return Turn::interrupted;
  }
  if (!in) released_through(descriptor);
  return Turn::careful;
}

bool end_transfer(const Descriptor& descriptor, const Transfer& how, long result) {
  if (result != -EAGAIN) {
    if (result >= 0 && how.direction == Direction::in) acquired_through(descriptor);
    channel_changed();
    return false;
  }
  looked_in_vain();
  return !descriptor.non_blocking && !how.non_blocking;
}

}  // namespace descriptor_detail
}  // namespace ricercar::inline threads
