// Memory that the program maps itself. In an execution it gets addresses from a region of its own,
// the same in each execution, and all of it is unmapped at the end.
#pragma once

#include <cstddef>

namespace ricercar::inline threads {

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
