// System calls that a program makes through `syscall`.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

struct SystemCall {
  long number;
  long arguments[6];
};

// Handles a call that has a meaning under control (time, random numbers, yielding, exiting); false
// if the call may go to the kernel as it is.
bool controlled_system_call(const SystemCall& call, std::uint64_t site, long& result);

// The calls of futexes, as the C library's function returns; false: another call.
bool futex_call(const SystemCall& call, std::uint64_t site, long& result);

}  // namespace ricercar::inline threads
