// Larger data of the program. It becomes a private mapping of a memory file that holds its
// contents, so that a page, once written, is a copy. Which pages those are the kernel tells; they
// are copied back by each restore from then on.
//
// Exact for every kind of write, by the program or by the kernel: a page cannot become a copy
// without a page fault, and the kernel counts the faults of a thread. So a restore asks for that
// count, and only if it has changed looks for new pages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "threads/memory/private_file.h"

namespace ricercar::inline threads {

struct TrackedMemory {
  static constexpr std::size_t most_ranges = 512;

  struct Range {
    char* start;
    std::size_t size;
    const char* image;  // nullptr: all zero
    bool* is_hot;       // for each page
    std::uint32_t* hot;
    std::size_t hot_count;
    bool dropped;  // instead of copied
  };

  Range ranges[most_ranges] = {};
  std::size_t range_count = 0;
  std::uint64_t known_faults = 0;
  bool faults_are_counted = false;
  PrivateFile page_map{"/proc/self/pagemap"};
  std::uint64_t entries[512] = {};  // of the page map, while they are looked at
};

// Whole pages. The contents stay as they are.
void track_memory(char* start, std::size_t size);

// Brings back the contents of all that is tracked.
void restore_tracked_memory();

struct TrackedStats {
  std::size_t bytes;
  std::size_t hot_pages;  // copied back by each restore
};

TrackedStats tracked_stats();

}  // namespace ricercar::inline threads
