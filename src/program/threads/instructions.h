// Instructions that do what the C library's functions do, past their hooks: some fault and are
// answered (time_stamp.cc, library_calls.cc), others can only be named (untrapped_instructions.cc).
#pragma once

#include <signal.h>

#include <cstdint>

namespace ricercar::inline threads {

// The processor's time stamp counter (rdtsc, rdtscp). The kernel is asked to let these instructions
// fault, and the fault is answered in virtual time: one tick is a nanosecond. Code that is not
// under control, and the kernel's own functions for the time (the vDSO), get the real counter. It
// is a setting of the kernel thread that asks for it and of those that it creates afterwards.
void trap_time_stamps();
void release_time_stamps();

// From the handler of SIGSEGV: whether the fault was such an instruction. It has its answer then,
// and the program goes on behind it.
bool answer_time_stamp(void* context);

// System calls that a library makes by itself, without the C library: libgomp waits on futexes so.
// The instructions are replaced by ones that fault, in all libraries that are known to need it and
// are loaded now, and the faults are answered as the calls of the same meaning are.
void replace_library_calls();

// From the handler of SIGILL: whether the fault was such an instruction. The call is made, on the
// stack of the task, when the handler returns.
bool answer_library_call(int signal, const siginfo_t& details, void* context);

// Instructions that nothing can trap: those that give random numbers (rdrand, rdseed), and system
// calls past the C library. The address of one in the program or in a library of it that is not the
// system's; 0: none was found. It looks for the bytes of the instruction and of one behind it that
// asks for its success, so a number that happens to look like it is very unlikely to be taken for
// one.
std::uint64_t find_random_instruction();
// The address of a system call that the program makes by an instruction of its own, with a number
// in sight before it.
std::uint64_t find_system_call();

}  // namespace ricercar::inline threads
