// Where the program's state lies in memory, the heap left out: the writable segments of the loaded
// objects, the main thread's storage, and what the kernel put on the initial stack.
#pragma once

#include <cstddef>

#include "base/check.h"

namespace ricercar::inline threads {

struct ProgramRange {
  char* start;
  std::size_t size;
  // Data of libc, libstdc++ and the like: most of it is never written, and no system call writes
  // there. Such ranges may be write-protected.
  bool rarely_written;
  // Nothing else that counts is on the pages where it starts and where it ends.
  bool owns_first_page = false;
  bool owns_last_page = false;
};

// Plain storage with a limit: nothing here may allocate.
struct ProgramRanges {
  static constexpr std::size_t limit = 1024;

  void add(const ProgramRange& range) {
    RICERCAR_CHECK(count < limit);
    if (range.size != 0) ranges[count++] = range;
  }
  void add(char* start, char* end, bool rarely_written) {
    if (start < end) add({start, static_cast<std::size_t>(end - start), rarely_written});
  }
  ProgramRange* begin() { return ranges; }
  ProgramRange* end() { return ranges + count; }

  std::size_t count = 0;
  ProgramRange ranges[limit] = {};
};

// Left out: the runtime, ld.so, what is read-only after relocation, and the addresses of functions
// that are filled in at the first call (they are the same in each execution, and looking them up
// again takes time).
void find_segments(ProgramRanges& found);

// The calling thread's thread-local variables, and its part of libc's thread descriptor.
void find_thread_storage(ProgramRanges& found);

// Arguments, environment and auxiliary vector, as the kernel passed them.
void find_initial_stack(ProgramRanges& found);

// The part of a thread's descriptor that the program changes: thread-specific values, cleanup
// handlers, buffers that libc allocated. `thread_pointer` is what pthread_self() gives.
struct ThreadDescriptorPart {
  std::size_t offset;  // from the thread pointer
  std::size_t size;
  // Within it: where libc keeps thread-specific values. Tasks other than the first have theirs
  // elsewhere (threads/keys.h).
  std::size_t values_offset;
  std::size_t values_size;
};
ThreadDescriptorPart thread_descriptor_part();

// Whether a loaded object has thread-local storage that is allocated at its first use. Such storage
// is not part of the ranges above.
bool has_dynamic_thread_storage();

}  // namespace ricercar::inline threads
