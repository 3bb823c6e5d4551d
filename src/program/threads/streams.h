// Streams of the C library (FILE) as far as several threads meet in them. What a stream does to its
// file is no point of the schedule. Where something else orders the threads, a lock for instance,
// that is searched; where nothing does, the search says that it has left orders out.
#pragma once

#include <stdio.h>

#include <cstdint>

namespace ricercar::inline threads {

// The running task reads from a stream, or writes to it.
void note_stream_use(FILE* stream, bool is_write, std::uint64_t site);

}  // namespace ricercar::inline threads
