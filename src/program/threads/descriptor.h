// File descriptors of the program, as far as the scheduler has to know them: which of them tasks
// use to talk to each other or wait for, and how to make a call on one without blocking.
#pragma once

#include <errno.h>
#include <poll.h>

#include <cstdint>

#include "cluster/network.h"
#include "threads/blocking.h"

namespace ricercar::inline threads {

enum class DescriptorKind : std::uint8_t {
  file,      // never blocks, or is none at all: files, folders, a number that is not open
  standard,  // input, output and error of the process: the outside world
  device,    // terminals, /dev/null, ...: the outside world
  pipe,
  socket,
  other,  // eventfd, epoll, message queues, ...
};

struct Descriptor {
  int number;
  DescriptorKind kind;
  bool non_blocking;
  const void* object;  // names what it leads to in a trace; both ends of a pipe have the same.
                       // Null: nothing that tasks can meet at

  // What one task writes another may read.
  bool is_channel() const { return kind >= DescriptorKind::pipe; }
};

Descriptor describe(int number);
// The number by which the kernel knows the socket, whatever its descriptors are; 0: it is none.
std::uint64_t socket_inode(int number);

// The file system in a trace. Names are one object, whatever the path: links and `..` make two
// paths one file. Contents are an object for each open file, numbered in the order in which the
// execution uses them. What depends on what is said in model/dependence.h.
const void* object_of_file(std::uint64_t device, std::uint64_t inode);
// The kernel has given a new file the number of one that is gone, or may have.
void forget_file(std::uint64_t device, std::uint64_t inode);
const void* object_of_names();

// Outside of any descriptor: what calls that look at several of them operate on.
const void* all_descriptors();

// What is not a descriptor but lets tasks talk through the kernel as well: signals, message queues,
// locks of files.
Descriptor kernel_channel();

// A call through a channel that does not wait: a point of the schedule.
void announce(const Descriptor& descriptor, std::uint64_t site, const char* name = nullptr);

// For the race detector: what happened before a write to a channel happens before a read from it.
void released_through(const Descriptor& descriptor);
void acquired_through(const Descriptor& descriptor);

// The running task did something that shows at the other end of a channel.
void channel_changed();

// A call that does not wait found nothing: a loop that makes it again and again must let others
// run.
void looked_in_vain();

// Waits until poll() with `events` says that the descriptor is ready.
Readiness wait_for_events(const char* name, const Descriptor& descriptor, short events,
                          const std::uint64_t* deadline, std::uint64_t site);

// The socket of a node that the call waits to read from, and for nothing else; no_endpoint: it is
// another call.
EndpointId awaited_endpoint(const BlockedCall& call);

// What a call that waits for one descriptor asks of it; null: it is another call.
pollfd* awaited_descriptor(const BlockedCall& call);

// As system_call, again and again while a signal interrupts it: the watchdog's comes at any time.
long patient_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0);

// While it lives, calls on the descriptor do not block.
class NonBlocking {
 public:
  explicit NonBlocking(const Descriptor& descriptor);
  ~NonBlocking();
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

 private:
  int number_ = -1;
  long flags_ = 0;
};

// What a system call gave, as the C library would return it.
long as_result(long raw);

enum class Direction : std::uint8_t { in, out };

struct Transfer {
  const char* name;  // of the call
  Direction direction;
  bool non_blocking = false;  // by a flag of the call
  bool never_blocks = false;  // the attempt does not, whatever the flags of the descriptor are
};

// Makes a call that reads from or writes to a descriptor, waiting first as long as it would block.
// `attempt` makes it once, without blocking, and returns what the kernel returned; so does this.
template <typename Attempt>
long transfer(const Descriptor& descriptor, const Transfer& how, std::uint64_t site,
              Attempt attempt);

namespace descriptor_detail {

// Before an attempt: whether it may be made as it is, or must not block, or is given up.
enum class Turn : std::uint8_t { plain, careful, timed_out, interrupted };
Turn begin_transfer(const Descriptor& descriptor, const Transfer& how, std::uint64_t site);
// After it. True: it would have blocked after all; another attempt has to be made.
bool end_transfer(const Descriptor& descriptor, const Transfer& how, long result);

}  // namespace descriptor_detail

template <typename Attempt>
long transfer(const Descriptor& descriptor, const Transfer& how, std::uint64_t site,
              Attempt attempt) {
  for (;;) {
    const descriptor_detail::Turn turn = descriptor_detail::begin_transfer(descriptor, how, site);
    if (turn == descriptor_detail::Turn::plain) return attempt();
    if (turn == descriptor_detail::Turn::timed_out) return -EAGAIN;
    if (turn == descriptor_detail::Turn::interrupted) return -EINTR;
    long result;
    if (how.never_blocks) {
      result = attempt();
    } else {
      NonBlocking careful(descriptor);
      result = attempt();
    }
    if (!descriptor_detail::end_transfer(descriptor, how, result)) return result;
  }
}

}  // namespace ricercar::inline threads
