// Instructions that nothing can trap: those that give random numbers (rdrand, rdseed), and system
// calls past the C library.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

// The address of one in the program or in a library of it that is not the system's; 0: none was
// found. It looks for the bytes of the instruction and of one behind it that asks for its success,
// so a number that happens to look like it is very unlikely to be taken for one.
std::uint64_t find_random_instruction();
// The address of a system call that the program makes by an instruction of its own, with a number
// in sight before it.
std::uint64_t find_system_call();

}  // namespace ricercar::inline threads
