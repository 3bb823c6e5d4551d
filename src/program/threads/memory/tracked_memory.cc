#include "threads/memory/tracked_memory.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "base/system_call.h"
#include "threads/memory/memory_state.h"
#include "threads/memory/page_guard.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.tracked;

// Zero pages need no file, if there are enough of them to be worth a mapping of their own.
constexpr std::size_t worth_a_mapping = 64 * page_size;
// A range with more written pages than this is not copied: its pages are dropped, and cost a fault
// each when they are written again.
constexpr std::size_t most_hot_pages = 1024;
std::uint64_t thread_faults() {
  struct rusage usage;
  system_call(SYS_getrusage, RUSAGE_THREAD, as_argument(&usage));
  return static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt);
}

template <typename T>
T* map_array(std::size_t count) {
  char* memory = map_memory(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  RICERCAR_CHECK(memory != nullptr);
  return reinterpret_cast<T*>(memory);
}

// Whether a page that becomes a copy shows in the count. It does on Linux; elsewhere we do without.
bool check_fault_count() {
  char* page = map_array<char>(page_size);
  const std::uint64_t before = thread_faults();
  *static_cast<volatile char*>(page) = 1;
  return thread_faults() != before;
}

void add_range(char* start, std::size_t size, const char* image) {
  RICERCAR_CHECK(state.range_count < TrackedMemory::most_ranges);
  if (state.range_count == 0) state.faults_are_counted = check_fault_count();
  state.ranges[state.range_count++] = {start,
                                       size,
                                       image,
                                       map_array<bool>(size / page_size),
                                       map_array<std::uint32_t>(most_hot_pages),
                                       0,
                                       false};
}

bool is_zero(const char* page) {
  return page[0] == 0 && std::memcmp(page, page + 1, page_size - 1) == 0;
}

// How far pages that are all zero, or all not zero, go on from `start`.
std::size_t run_length(const char* start, std::size_t size, bool zero) {
  std::size_t length = 0;
  while (length < size && is_zero(start + length) == zero) length += page_size;
  return length;
}

void map_over(char* start, std::size_t size, int flags, int file) {
  const char* mapped = map_memory(start, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | flags, file);
  RICERCAR_CHECK(mapped == start);
}

void track_zeroes(char* start, std::size_t size) {
  map_over(start, size, MAP_ANONYMOUS, -1);
  add_range(start, size, nullptr);
}

void write_all(int file, const char* start, std::size_t size) {
  while (size > 0) {
    const long written = system_call(SYS_write, file, as_argument(start), static_cast<long>(size));
    RICERCAR_CHECK(written > 0);
    start += written;
    size -= static_cast<std::size_t>(written);
  }
}

void track_contents(char* start, std::size_t size) {
  const long created = system_call(SYS_memfd_create, as_argument("ricercar-snapshot"), MFD_CLOEXEC);
  RICERCAR_CHECK(created >= 0);
  const auto file = static_cast<int>(created);
  write_all(file, start, size);
  const char* image = map_memory(nullptr, size, PROT_READ, MAP_SHARED, file);
  RICERCAR_CHECK(image != nullptr);
  map_over(start, size, 0, file);
  system_call(SYS_close, file);
  add_range(start, size, image);
}

void add_hot_page(TrackedMemory::Range& range, std::size_t page) {
  if (range.is_hot[page] || range.dropped) return;
  range.is_hot[page] = true;
  range.hot[range.hot_count++] = static_cast<std::uint32_t>(page);
  range.dropped = range.hot_count == most_hot_pages;
}

// An entry of the page map: whether the page is a copy that belongs to this process alone.
bool is_written(std::uint64_t entry) {
  constexpr std::uint64_t present = std::uint64_t{1} << 63;
  constexpr std::uint64_t swapped = std::uint64_t{1} << 62;
  constexpr std::uint64_t of_a_file = std::uint64_t{1} << 61;
  return (entry & swapped) || ((entry & present) && !(entry & of_a_file));
}

void find_written_pages(TrackedMemory::Range& range) {
  auto& entries = state.entries;
  const std::size_t pages = range.size / page_size;
  for (std::size_t first = 0; first < pages && !range.dropped; first += std::size(entries)) {
    const std::size_t count = std::min(std::size(entries), pages - first);
    const auto place = reinterpret_cast<std::uint64_t>(range.start) / page_size + first;
    if (state.page_map.read_at(entries, count * 8, place * 8) != static_cast<long>(count * 8)) {
      range.dropped = true;
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (is_written(entries[i])) add_hot_page(range, first + i);
    }
  }
}

void copy_back(const TrackedMemory::Range& range) {
  for (std::size_t i = 0; i < range.hot_count; ++i) {
    const std::size_t offset = std::size_t{range.hot[i]} * page_size;
    if (range.image) {
      std::memcpy(range.start + offset, range.image + offset, page_size);
    } else {
      std::memset(range.start + offset, 0, page_size);
    }
  }
}

}  // namespace

void track_memory(char* start, std::size_t size) {
  std::size_t other = 0;  // so many bytes from `start` on are not in a long run of zeroes
  while (other < size) {
    const std::size_t zeroes = run_length(start + other, size - other, true);
    if (zeroes < worth_a_mapping) {
      other += zeroes;
      other += run_length(start + other, size - other, false);
      continue;
    }
    if (other > 0) track_contents(start, other);
    track_zeroes(start + other, zeroes);
    start += other + zeroes;
    size -= other + zeroes;
    other = 0;
  }
  if (other > 0) track_contents(start, other);
}

void restore_tracked_memory() {
  if (state.range_count == 0) return;
  const bool changed = !state.faults_are_counted || thread_faults() != state.known_faults;
  for (std::size_t i = 0; i < state.range_count; ++i) {
    TrackedMemory::Range& range = state.ranges[i];
    if (changed && !range.dropped) find_written_pages(range);
    if (!range.dropped) {
      copy_back(range);
    } else if (changed) {
      RICERCAR_CHECK(advise_memory(range.start, range.size, MADV_DONTNEED));
    }
  }
  if (changed) state.known_faults = thread_faults();
}

TrackedStats tracked_stats() {
  TrackedStats stats{};
  for (std::size_t i = 0; i < state.range_count; ++i) {
    stats.bytes += state.ranges[i].size;
    stats.hot_pages += state.ranges[i].dropped ? 0 : state.ranges[i].hot_count;
  }
  return stats;
}

}  // namespace ricercar::inline threads
