// What the scheduler wants to know about the program's heap. The functions are the scheduler's.
#pragma once

#include <cstddef>

#include "threads/memory/heap.h"

namespace ricercar::inline threads {

// free() or realloc() was called with something that is not a live block. Inside of an execution
// this ends the execution and does not return, or the execution goes on through it: then the answer
// is true, and the call has no effect. Otherwise the process aborts with a message.
bool report_bad_free(void* block, Release why, void* return_address);

// Called for each allocation (after it) and each release (before it), if `heap_events_wanted`.
// The size of a block that is released is asked for only where it matters.
void heap_event(bool allocated, void* block, std::size_t size, void* return_address);

extern bool heap_events_wanted;

// The program is about to unmap this memory, or has mapped something else there.
void memory_unmapped(void* start, std::size_t size);

}  // namespace ricercar::inline threads
