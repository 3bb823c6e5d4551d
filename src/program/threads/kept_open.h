// A call that waits keeps open what its descriptor leads to, as in Linux: when another task closes
// the descriptor meanwhile, the call goes on, and only then the other end learns of it (close(2),
// "Multithreaded processes and close()"). Only shutdown() wakes who waits.
//
// Not thread-safe: one kernel thread runs everything.
#pragma once

#include <cstdint>

#include "model/ids.h"

namespace ricercar::inline threads {

class KeptOpen {
 public:
  // What was kept is closed with all that the execution has opened.
  void begin_execution() { count_ = 0; }
  // Before the program closes the descriptor, or lets it lead elsewhere.
  void keep(int number);
  // With which descriptor the call of the running task goes on.
  int number_of(int number) const;
  // The call of the running task is over.
  void release();

 private:
  struct Kept {
    TaskId task = no_task;
    int closed = -1;  // the number that the program knew
    int number = -1;
  };
  const Kept* of_running_task() const;

  Kept kept_[max_tasks] = {};
  std::uint32_t count_ = 0;
};

// The same for a call in the program, while this lives.
class WaitingCall {
 public:
  WaitingCall() = default;
  ~WaitingCall();
  WaitingCall(const WaitingCall&) = delete;
  WaitingCall& operator=(const WaitingCall&) = delete;
};
int now_open(int number);

}  // namespace ricercar::inline threads
