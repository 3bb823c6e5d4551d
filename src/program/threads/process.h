// The process as the program sees it: one process with fixed numbers, on a machine with a fixed
// number of processors, so that a run does not depend on where and when it happens.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace ricercar::inline threads {

pid_t process_id();      // what getpid() gives to a controlled task
pid_t task_thread_id();  // what gettid() gives to the running task

// Sends a signal to the kernel thread that runs all tasks. It is delivered before this returns
// unless it is blocked; one that would end or stop the process ends the execution. Returns what the
// kernel returned.
long send_signal_to_self(int signal, std::uint64_t site);

// Ends the execution: the signal has killed the program.
[[noreturn]] void fail_of_signal(int signal, std::uint64_t site);
std::string signal_name(int signal);  // "SIGKILL"
// The program's handler for a signal that the runtime keeps for itself. False: it has none, and
// the signal kills it.
bool calls_own_handler(int signal);

// As backtrace_symbols writes it, which addr2line understands.
std::string place_of(std::uint64_t site);

// Ends the search with a message: the program does something that cannot be put under control.
// Implemented by the search.
[[noreturn]] void stop_search_now(const char* message);

// The program makes a call, "fork()", that would take it out of this process.
[[noreturn]] void unsupported(const char* call, std::uint64_t site);

// Calls of prctl and seccomp that filter the system calls of the whole process: those of the
// runtime would be refused or kill it. Ends the search with a message.
void refuse_filters(long call, long first, std::uint64_t site);

}  // namespace ricercar::inline threads
