// Write-protected pages: what is hardly ever written need not be copied at each restore. The first
// write to a page faults; the page is then writable for ever and `opened` is told.
//
// A write by the kernel does not fault but fails with EFAULT: guard only what no system call writes
// to, or open it first.
#pragma once

#include <bitset>
#include <cstddef>

namespace ricercar::inline threads {

inline constexpr std::size_t page_size = 4096;

struct PageGuards {
  static constexpr std::size_t most_ranges = 128;
  static constexpr std::size_t most_pages = 8192;

  struct Range {
    char* start;
    std::size_t size;
    const char* image;
    char* restored_from;
    std::size_t first_page;  // in `open_pages`
  };

  Range ranges[most_ranges] = {};
  std::size_t range_count = 0;
  std::size_t page_count = 0;
  std::size_t open_count = 0;
  std::bitset<most_pages> open_pages;
};

// Guards whole pages. `image` is what they hold; only what is at `restored_from` and behind it has
// to come back. False when there is no room for more: then nothing was done.
bool guard_pages(char* start, std::size_t size, const char* image, char* restored_from);

// A piece that has to be copied by each restore from now on.
struct OpenedPage {
  char* start = nullptr;  // nullptr: the address is not on a guarded page
  std::size_t size = 0;
  const char* image = nullptr;
};

// Makes the page around the address writable. Async-signal-safe.
OpenedPage open_guarded_page(const void* address);

// While the C library blocks all signals, as it does when it creates a thread, a fault would be
// fatal: between these two calls every page is writable. Resuming tells which pages were written.
void suspend_page_guards();
void resume_page_guards(void (*opened)(const OpenedPage&));

std::size_t guarded_pages();

}  // namespace ricercar::inline threads
