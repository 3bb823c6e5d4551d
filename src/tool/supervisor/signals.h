// Signals as readable data, for loops that are the only place where anything happens. While such an
// object exists they are blocked. One at a time in a process.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"
#include "search/control.h"

namespace ricercar::inline supervisor {

class Signals {
 public:
  Signals() {
    ::signal(SIGCHLD, SIG_DFL);  // ignored by some parents, and then children cannot be awaited
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCHLD, signal_of_question})
      sigaddset(&wanted, signal);
    ::sigprocmask(SIG_BLOCK, &wanted, &before_);
    descriptor_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) throw UsageError("cannot watch signals: " + std::string(strerror(errno)));
  }
  ~Signals() {
    ::close(descriptor_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_; }
  int next() const {  // 0: none
    signalfd_siginfo info{};
    return ::read(descriptor_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                  : 0;
  }

 private:
  sigset_t before_;
  int descriptor_;
};

}  // namespace ricercar::inline supervisor
