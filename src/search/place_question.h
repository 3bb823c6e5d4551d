// How a worker asks the tool where in the source some addresses are, or whether a finding with
// these stacks is suppressed: the debug information is read by the tool only. The question and the
// answer are in the shared memory; a signal tells the tool of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "model/recording.h"

namespace ricercar::inline search {

struct PlaceQuestion {
  enum State : std::uint32_t { none, asked, answered };

  std::atomic<std::uint32_t> state = none;  // a futex
  Array<std::uint64_t> addresses;           // return addresses
  Array<RecordedModule> modules;            // of the program, where they are loaded
  bool is_about_suppression = false;
  OutcomeKind kind = OutcomeKind::ok;  // of the finding
  Array<std::uint32_t> stack_ends;     // of its stacks, in `addresses`; innermost frames first
  std::uint32_t suppression = 0;       // the answer: which one, from 1 on; 0: none
  // The answer: see Places in strategy/hapset/statements.h.
  Array<std::uint64_t> places;
  Array<std::uint32_t> ends;
};

// Makes the tool of this process answer the questions of strategies from now on.
void ask_tool_for_places();

// Which suppression a finding with these stacks falls under, from 1 on; 0: none. Only in a process
// that a tool has started.
std::uint32_t ask_for_suppression(OutcomeKind kind, std::span<const std::uint64_t> addresses,
                                  std::span<const std::uint32_t> stack_ends);

}  // namespace ricercar::inline search
