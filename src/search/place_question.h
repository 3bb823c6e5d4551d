// How a worker asks the tool where in the source some addresses are: the debug information is read
// by the tool only. The question and the answer are in the shared memory; a signal tells the tool
// of it.
#pragma once

#include <atomic>
#include <cstdint>

#include "model/recording.h"

namespace ricercar {

struct PlaceQuestion {
  enum State : std::uint32_t { none, asked, answered };

  std::atomic<std::uint32_t> state = none;  // a futex
  Array<std::uint64_t> addresses;           // return addresses
  Array<RecordedModule> modules;            // of the program, where they are loaded
  // The answer: see Places in strategy/hapset/statements.h.
  Array<std::uint64_t> places;
  Array<std::uint32_t> ends;
};

// Makes the tool of this process answer the questions of strategies from now on.
void ask_tool_for_places();

}  // namespace ricercar
