#include "threads/kept_open.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>

#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/memory/external_state.h"
#include "threads/node_sockets.h"
#include "threads/real.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {
namespace {

constexpr int first_kept = 512;  // far from the numbers that the program gets

// Its socket is found by this descriptor from now on.
void move_socket(int from, int to) {
  NodeSocket* socket = has_network() ? program_state.sockets.find(from) : nullptr;
  if (socket == nullptr) return;
  socket->number = to;
  socket->is_copied = true;
}

int copy_of(int number) {
  const long copy = system_call(SYS_fcntl, number, F_DUPFD_CLOEXEC, first_kept);
  note_descriptors();
  if (copy >= 0) move_socket(number, static_cast<int>(copy));
  return static_cast<int>(copy);
}

}  // namespace

void KeptOpen::keep(int number) {
  int copy = -1;
  for (const BlockedCalls::Waiting& waiting : program_state.blocked_calls.all()) {
    pollfd* entry = awaited_descriptor(*waiting.call);
    if (entry == nullptr || entry->fd != number || is_timer_descriptor(number)) continue;
    if (copy < 0) copy = copy_of(number);
    if (copy < 0) return;
    entry->fd = copy;
    kept_[count_++] = {waiting.task, number, copy};
  }
}

const KeptOpen::Kept* KeptOpen::of_running_task() const {
  if (count_ == 0) return nullptr;
  const TaskId self = execution.self().id;
  const Kept* found =
      std::find_if(kept_, kept_ + count_, [self](const Kept& each) { return each.task == self; });
  return found == kept_ + count_ ? nullptr : found;
}

int KeptOpen::number_of(int number) const {
  const Kept* own = of_running_task();
  return own != nullptr && own->closed == number ? own->number : number;
}

void KeptOpen::release() {
  const Kept* own = of_running_task();
  if (own == nullptr) return;
  const int number = own->number;
  kept_[own - kept_] = kept_[--count_];
  const auto needs_it = [number](const Kept& each) { return each.number == number; };
  if (std::any_of(kept_, kept_ + count_, needs_it)) return;
  const std::uint64_t inode = socket_inode(number);
  system_call(SYS_close, number);
  note_descriptors();
  if (has_network()) program_state.sockets.look_for_closed(inode);
  channel_changed();
}

void descriptor_goes(int number) {
  if (execution.active()) program_state.kept_open.keep(number);
}

WaitingCall::~WaitingCall() { program_state.kept_open.release(); }

int now_open(int number) { return program_state.kept_open.number_of(number); }

}  // namespace ricercar::inline threads
