#include "threads/memory/page_guard.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "base/system_call.h"
#include "threads/memory/memory_state.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.page_guards;

OpenedPage open(const PageGuards::Range& range, std::size_t page) {
  state.open_pages[range.first_page + page] = true;
  ++state.open_count;
  char* start = range.start + page * page_size;
  char* first = std::max(start, range.restored_from);
  const auto skipped = static_cast<std::size_t>(first - start);
  return {first, page_size - skipped, range.image + page * page_size + skipped};
}

}  // namespace

bool guard_pages(char* start, std::size_t size, const char* image, char* restored_from) {
  RICERCAR_CHECK(reinterpret_cast<std::uint64_t>(start) % page_size == 0 && size % page_size == 0);
  const std::size_t pages = size / page_size;
  if (state.range_count == PageGuards::most_ranges ||
      state.page_count + pages > PageGuards::most_pages)
    return false;
  if (!protect_memory(start, size, PROT_READ)) return false;
  state.ranges[state.range_count++] = {start, size, image, restored_from, state.page_count};
  state.page_count += pages;
  return true;
}

OpenedPage open_guarded_page(const void* address) {
  for (std::size_t i = 0; i < state.range_count; ++i) {
    const PageGuards::Range& range = state.ranges[i];
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - range.start);
    if (offset >= range.size) continue;
    const std::size_t page = offset / page_size;
    if (state.open_pages[range.first_page + page]) return {};
    char* start = range.start + page * page_size;
    RICERCAR_CHECK(protect_memory(start, page_size, PROT_READ | PROT_WRITE));
    return open(range, page);
  }
  return {};
}

void suspend_page_guards() {
  for (std::size_t i = 0; i < state.range_count; ++i) {
    RICERCAR_CHECK(
        protect_memory(state.ranges[i].start, state.ranges[i].size, PROT_READ | PROT_WRITE));
  }
}

void resume_page_guards(void (*opened)(const OpenedPage&)) {
  for (std::size_t i = 0; i < state.range_count; ++i) {
    const PageGuards::Range& range = state.ranges[i];
    for (std::size_t page = 0; page < range.size / page_size; ++page) {
      if (state.open_pages[range.first_page + page]) continue;
      char* start = range.start + page * page_size;
      if (std::memcmp(start, range.image + page * page_size, page_size) == 0) {
        RICERCAR_CHECK(protect_memory(start, page_size, PROT_READ));
      } else {
        opened(open(range, page));
      }
    }
  }
}

std::size_t guarded_pages() { return state.page_count - state.open_count; }

}  // namespace ricercar::inline threads
