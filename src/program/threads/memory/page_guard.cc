#include "threads/memory/page_guard.h"

#include <sys/mman.h>

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "base/system_call.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t most_ranges = 128;
constexpr std::size_t most_pages = 8192;

struct GuardedRange {
  char* start;
  std::size_t size;
  const char* image;
  char* restored_from;
  std::size_t first_page;  // in `open_pages`
};

constinit GuardedRange ranges[most_ranges] = {};
constinit std::size_t range_count = 0;
constinit std::size_t page_count = 0;
constinit std::size_t open_count = 0;
constinit std::bitset<most_pages> open_pages;

OpenedPage open(const GuardedRange& range, std::size_t page) {
  open_pages[range.first_page + page] = true;
  ++open_count;
  char* start = range.start + page * page_size;
  char* first = std::max(start, range.restored_from);
  const auto skipped = static_cast<std::size_t>(first - start);
  return {first, page_size - skipped, range.image + page * page_size + skipped};
}

}  // namespace

bool guard_pages(char* start, std::size_t size, const char* image, char* restored_from) {
  RICERCAR_CHECK(reinterpret_cast<std::uint64_t>(start) % page_size == 0 && size % page_size == 0);
  const std::size_t pages = size / page_size;
  if (range_count == most_ranges || page_count + pages > most_pages) return false;
  if (!protect_memory(start, size, PROT_READ)) return false;
  ranges[range_count++] = {start, size, image, restored_from, page_count};
  page_count += pages;
  return true;
}

OpenedPage open_guarded_page(const void* address) {
  for (std::size_t i = 0; i < range_count; ++i) {
    const GuardedRange& range = ranges[i];
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - range.start);
    if (offset >= range.size) continue;
    const std::size_t page = offset / page_size;
    if (open_pages[range.first_page + page]) return {};
    char* start = range.start + page * page_size;
    RICERCAR_CHECK(protect_memory(start, page_size, PROT_READ | PROT_WRITE));
    return open(range, page);
  }
  return {};
}

void suspend_page_guards() {
  for (std::size_t i = 0; i < range_count; ++i) {
    RICERCAR_CHECK(protect_memory(ranges[i].start, ranges[i].size, PROT_READ | PROT_WRITE));
  }
}

void resume_page_guards(void (*opened)(const OpenedPage&)) {
  for (std::size_t i = 0; i < range_count; ++i) {
    const GuardedRange& range = ranges[i];
    for (std::size_t page = 0; page < range.size / page_size; ++page) {
      if (open_pages[range.first_page + page]) continue;
      char* start = range.start + page * page_size;
      if (std::memcmp(start, range.image + page * page_size, page_size) == 0) {
        RICERCAR_CHECK(protect_memory(start, page_size, PROT_READ));
      } else {
        opened(open(range, page));
      }
    }
  }
}

std::size_t guarded_pages() { return page_count - open_count; }

}  // namespace ricercar::inline threads
