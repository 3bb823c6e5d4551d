// How the tool and a worker that searches piece by piece (search/piece_order.h) tell each other
// what to do and what was found: messages of any size through two small buffers, at the end of the
// memory that they share. The worker waits for a piece by a futex; the tool is told by a signal
// that there is something to read. Plain data without addresses: the tool maps it wherever there is
// room.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/system_call.h"
#include "search/control.h"

namespace ricercar::inline search {

// One direction. One side writes, the other one reads.
class Channel {
 public:
  bool is_full() const { return full_.load() != 0; }

  // Writes as much as there is room for, from `sent` on; only if it is not full.
  void put(const std::string& message, std::size_t& sent) {
    size_ = static_cast<std::uint32_t>(std::min(sizeof bytes_, message.size() - sent));
    std::memcpy(bytes_, message.data() + sent, size_);
    sent += size_;
    is_last_ = sent == message.size();
    full_.store(1);
    wake();
  }
  // Adds what is there to `message`; only if it is full. True: the message is complete.
  bool get(std::string& message) {
    message.append(bytes_, size_);
    const bool is_complete = is_last_;
    full_.store(0);
    wake();
    return is_complete;
  }

  // For a while, or until it is full, or until it is not.
  void wait_until_full() { wait(0); }
  void wait_until_empty() { wait(1); }
  // Whoever waits looks up.
  void wake() { system_call(SYS_futex, reinterpret_cast<long>(&full_), FUTEX_WAKE, 1); }

 private:
  void wait(long while_it_is) {
    constexpr timespec patience = {0, 100'000'000};
    system_call(SYS_futex, reinterpret_cast<long>(&full_), FUTEX_WAIT, while_it_is,
                reinterpret_cast<long>(&patience));
  }

  std::atomic<std::uint32_t> full_ = 0;  // a futex
  std::uint32_t size_ = 0;
  bool is_last_ = false;
  char bytes_[std::size_t{128} << 10];
};

// How the one who watched the worker saw it end.
struct WorkerEnd {
  bool has_given_up = false;
  bool is_uncontrolled = false;  // the program did not come to the runtime's start
  bool was_thinking = false;
  bool is_mistake = false;  // of the user: it could not be started
  char message[2048] = "";
};

struct Mailbox {
  int reader = 0;                      // the process that hands out pieces
  std::atomic<bool> is_wanted = true;  // false: the piece that the worker has is of no use
  // The worker has come to what only one may do at a time. Also of one that searches everything.
  std::atomic<bool> is_alone = false;
  WorkerEnd end;
  Channel to_worker;
  Channel to_tool;
};

inline constexpr std::uint64_t mailbox_bytes = (sizeof(Mailbox) + 4095) / 4096 * 4096;
inline constexpr std::uint64_t mailbox_offset = control_size - mailbox_bytes;

inline Mailbox& mailbox_of_worker() {
  return *reinterpret_cast<Mailbox*>(control_address + mailbox_offset);
}

}  // namespace ricercar::inline search
