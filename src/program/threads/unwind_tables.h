// How to get from a frame of the machine stack to its caller, from the tables that compilers write
// for exceptions (.eh_frame; the DWARF standard, version 5, section 6.4, and the Linux Standard
// Base on how it is stored). Only what nearly all code needs: a frame that is found from the stack
// pointer or from the frame pointer. Everything else is left to the unwinder of the C library's
// companion, which can do all and takes a hundred times as long.
//
// x86-64. No state.
#pragma once

#include <cstdint>
#include <optional>

namespace ricercar::inline threads {

struct UnwindRule {
  std::uint64_t function = 0;   // where the code begins that the table is for
  std::int32_t offset = 0;      // the canonical frame address is so far above its base
  std::int32_t saved_base = 0;  // there, from that address, is the caller's frame pointer; 0: kept
  bool is_from_base = false;    // the base is the frame pointer, not the stack pointer
  bool is_outermost = false;    // nobody has called this
};

// For a frame whose next instruction is behind the call at `place`. Nothing: there is no table, or
// one that says more than a rule can.
std::optional<UnwindRule> find_unwind_rule(std::uint64_t place);

}  // namespace ricercar::inline threads
