// Instructions that give random numbers (rdrand, rdseed). Nothing can trap them.
#pragma once

#include <cstdint>

namespace ricercar {

// The address of one in the program or in a library of it that is not the system's; 0: none was
// found. It looks for the bytes of the instruction and of one behind it that asks for its success,
// so a number that happens to look like it is very unlikely to be taken for one.
std::uint64_t find_random_instruction();

}  // namespace ricercar
