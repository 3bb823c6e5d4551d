// Restarts a whole program by putting its memory back: the writable data of every loaded object but
// the runtime and ld.so, the heap, the main thread's thread-local storage, and the strings that the
// kernel passed to the program. What memory does not hold is in external_state.h.
//
// A restore costs what the program writes, not what it has:
//  - small data of the program is copied each time;
//  - pages of system libraries are write-protected until they are first written, and copied from
//    then on;
//  - larger data is a private mapping of a memory file; the kernel tells which pages were written.
//
// Not thread-safe: the thread that takes the snapshot restores it. Works in a forked child too.
#pragma once

#include <cstddef>

#include "threads/memory/program_memory.h"

namespace ricercar::inline threads {

struct SnapshotStats {
  std::size_t bytes;            // in the snapshot
  std::size_t copied_bytes;     // copied by each restore
  std::size_t hot_pages;        // of them, in pages that are copied because they were written once
  std::size_t protected_pages;  // not written so far
  std::size_t tracked_bytes;    // in private mappings of a memory file
  std::size_t restores;
};

struct Snapshot {
  struct Copy {
    char* to;
    const char* from;
    std::size_t size;
  };

  ProgramRanges ranges;
  Copy copies[16384] = {};
  std::size_t copy_count = 0;
  char* image = nullptr;  // where the contents are kept
  std::size_t image_size = 0;
  bool taken = false;
  std::size_t restores = 0;
  SnapshotStats stats = {};
};

void snapshot_take();
// The same for executions that are forks of this process: only what they share with each other.
void snapshot_take_shared();

// Puts everything back and calls heap_rewind(). To be called after external_state_restore(), which
// may have to make memory writable again. The stack is left alone, so it must not run on memory
// that is restored.
void snapshot_restore();

// To be called first by the handler of SIGSEGV: true if the write was to a protected page, which is
// now writable, so that the instruction has to be run again. Async-signal-safe.
bool snapshot_handle_fault(void* address);

// Before a system call that writes to memory of the program: the kernel does not raise SIGSEGV but
// fails, so protected pages must become writable first.
void snapshot_expect_write(void* start, std::size_t size);

// Around calls of the C library that block all signals (creating a real thread): a protected page
// would be fatal there.
class SnapshotPause {
 public:
  SnapshotPause();
  ~SnapshotPause();
  SnapshotPause(const SnapshotPause&) = delete;
  SnapshotPause& operator=(const SnapshotPause&) = delete;
};

SnapshotStats snapshot_stats();

}  // namespace ricercar::inline threads
