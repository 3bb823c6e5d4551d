// Memory that the program maps itself. In an execution it gets addresses from a region of its own,
// the same in each execution, and all of it is unmapped at the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

struct OwnMappings {
  static constexpr std::uint64_t region_start = 0x140000000000;

  struct Piece {
    std::uint64_t start;
    std::uint64_t size;
  };
  struct PieceList {
    static constexpr std::size_t most = 256;

    // False: there is no room.
    bool add(void* start, std::size_t size) {
      if (count == most) return false;
      pieces[count++] = {reinterpret_cast<std::uint64_t>(start), size};
      return true;
    }

    std::size_t count = 0;
    Piece pieces[most] = {};
  };

  std::uint64_t next = region_start;
  PieceList outside;     // mapped, but not in the region
  PieceList protection;  // parts of the heap
  bool break_changed = false;
  long saved_break = 0;
};

void mappings_take();
void mappings_restore();

// Where the next mapping of this size goes; nullptr: anywhere.
void* place_for_mapping(std::size_t size);
// A mapping that is not in the region, or memory of the heap whose protection was changed.
void note_mapping(void* start, std::size_t size);
void note_protection(void* start, std::size_t size);
// The program is about to move the end of its data segment.
void note_break(const void* end);

// Whether the execution mapped this memory itself, so that it may do with it what it likes.
bool is_own_mapping(const void* start, std::size_t size);

}  // namespace ricercar::inline threads
