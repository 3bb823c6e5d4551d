// Runs the tool as a user does: a command in a process group of its own, with its output kept and a
// limit for its time. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ricercar::test {

struct Command {
  std::vector<std::string> words;  // the first one is a path
  std::string folder = {};         // where it runs; empty: here
  std::string output_file = {};    // its standard output goes there instead of into the result
  double timeout_seconds = 120;
  // When its processes have used so much of the processors, it gets what Ctrl-C would send.
  std::optional<double> processor_seconds = {};
  std::optional<std::size_t> largest_file_bytes = {};  // RLIMIT_FSIZE
};

struct Finished {
  int status = 0;  // the exit status, or 128 + the signal, as a shell tells it
  bool timed_out = false;
  double seconds = 0;
  double processor_seconds = 0;  // of it and of all that it has waited for
  std::string output;
  std::string error;
};

class Process {
 public:
  explicit Process(Command command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number);        // the process alone, as `kill` does
  void signal_group(int number);  // with all that it started, as Ctrl-C does
  Finished wait();                // kills the group when the time is over

 private:
  bool ends_in_time();

  Command command_;
  int output_;
  int error_;
  double started_;
  pid_t child_;
};

Finished run(Command command);

// The command and what came of it, for a message.
std::string describe(const Command& command, const Finished& finished);

}  // namespace ricercar::test
