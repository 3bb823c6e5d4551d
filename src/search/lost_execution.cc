#include "search/lost_execution.h"

#include <string.h>
#include <sys/wait.h>

#include <string>

namespace ricercar::inline search {
namespace {

Outcome verdict(OutcomeKind kind, std::string message, int number) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.message = std::move(message);
  outcome.number = number;
  return outcome;
}

Outcome killed(int signal) {
  std::string text = "the program's process was killed by " + signal_words(signal);
  if (signal == SIGKILL) text += ": it killed itself, or memory ran out";
  return verdict(OutcomeKind::crash, std::move(text), signal);
}

Outcome left(int status) {
  if (status == 0) return {};
  return verdict(OutcomeKind::exit,
                 "the program ended its process with status " + std::to_string(status) +
                     ", by a system call of its own",
                 status);
}

Outcome hung(double seconds) {
  return verdict(OutcomeKind::hang,
                 "the thread did not come to any operation under control for " +
                     std::to_string(static_cast<int>(seconds)) +
                     " seconds (--hang allows more), and could not be interrupted: it has blocked "
                     "all signals, stopped its process or ended its thread by a system call of its "
                     "own",
                 0);
}

}  // namespace

std::string signal_words(int signal) {
  const char* short_name = ::sigabbrev_np(signal);
  const char* words = ::sigdescr_np(signal);
  const std::string name =
      short_name != nullptr ? std::string("SIG") + short_name : "signal " + std::to_string(signal);
  return words != nullptr ? name + " (" + words + ")" : name;
}

ProcessEnd end_of_process(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {ProcessEnd::killed, WTERMSIG(wait_status)};
  return {ProcessEnd::left, WEXITSTATUS(wait_status)};
}

Outcome outcome_of(const ProcessEnd& end, double hang_seconds) {
  switch (end.way) {
    case ProcessEnd::killed:
      return killed(end.number);
    case ProcessEnd::left:
      return left(end.number);
    case ProcessEnd::hung:
      return hung(hang_seconds);
    case ProcessEnd::unknown:
    case ProcessEnd::stopped:
      break;
  }
  return {};
}

}  // namespace ricercar::inline search
