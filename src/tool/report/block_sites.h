// Where the blocks of a program or a library are that were compiled with `ricercar c++ --coverage`.
// Not thread-safe (libelf).
//
// At the beginning of each block the compiler puts a call of __sanitizer_cov_trace_pc. In a linked
// file such a call goes to the few bytes that the linker has made for this function, or through its
// entry in the table of addresses; both are found by the relocation that names the function. So
// every call is found, without symbols and without reading other instructions. What looks like
// such a call inside of another instruction would be counted too; that takes four bytes with one
// certain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::inline report {

// Addresses in the file behind each of the calls, in ascending order. None: it has no blocks, or it
// cannot be read.
std::vector<std::uint64_t> block_sites(const std::string& path);

}  // namespace ricercar::inline report
