// What streams of the C library (FILE) write to their files. They call the kernel inside of the
// library, past every hook; but all of them do it through one function, which the library finds in
// its tables of functions for each kind of stream.
#pragma once

namespace ricercar::inline threads {

// From now on what they write is kept, as that of write() is (disk/watch.h). Once, before main.
void watch_stream_writes();

}  // namespace ricercar::inline threads
