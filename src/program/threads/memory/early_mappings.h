// Memory that the program mapped itself before main, in a constructor or in a malloc of its own: it
// belongs to the state that a restart puts back.
//
// Not thread-safe. Works before any constructor of the runtime has run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "threads/memory/private_file.h"
#include "threads/memory/program_memory.h"

namespace ricercar::inline threads {

struct EarlyMappings {
  static constexpr std::size_t most = 512;

  struct Piece {
    std::uint64_t low;
    std::uint64_t high;
  };

  Piece pieces[most] = {};
  std::size_t piece_count = 0;
  bool overflowed = false;
  std::uint64_t first_break = 0;
  PrivateFile own_mappings{"/proc/self/maps"};
};

void note_early_mapping(void* start, std::size_t size);
void forget_early_mapping(void* start, std::size_t size);
// Before the program moves the end of its data segment.
void note_early_break();

// What is still there and writable: `found` gets what belongs to this process alone, `shared` the
// rest, which has to stay mapped as it is. False: there is more than can be put back.
bool find_early_mappings(ProgramRanges& found, ProgramRanges& shared);

}  // namespace ricercar::inline threads
