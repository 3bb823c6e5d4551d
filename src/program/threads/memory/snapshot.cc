#include "threads/memory/snapshot.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/system_call.h"
#include "threads/memory/early_mappings.h"
#include "threads/memory/external_state.h"
#include "threads/memory/heap.h"
#include "threads/memory/memory_state.h"
#include "threads/memory/page_guard.h"
#include "threads/memory/runtime_allocation.h"
#include "threads/memory/tracked_memory.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.snapshot;

constexpr std::size_t copied_at_most = 48 << 10;  // of the program's own data, by each restore
constexpr std::size_t worth_tracking = 16 << 10;
constexpr std::size_t image_reserve = 256 << 20;
// libstdc++ keeps memory for exceptions in a block of this size, and hardly ever uses it.
constexpr std::size_t exception_reserve = 72704;

struct Piece {
  char* start;
  std::size_t size;
};

// Contents next to each other, so that a restore needs few entries of the translation cache.
const char* keep(const char* start, std::size_t size) {
  if (state.image == nullptr) {
    state.image = map_memory(nullptr, image_reserve, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    RICERCAR_CHECK(state.image != nullptr);
  }
  state.image_size = (state.image_size + 63) & ~std::size_t{63};
  RICERCAR_CHECK(state.image_size + size <= image_reserve);
  char* kept = state.image + state.image_size;
  state.image_size += size;
  std::memcpy(kept, start, size);
  return kept;
}

void add_copy(char* to, const char* from, std::size_t size) {
  RICERCAR_CHECK(state.copy_count < std::size(state.copies));
  state.copies[state.copy_count++] = {to, from, size};
  state.stats.copied_bytes += size;
}

void copy_piece(Piece piece) {
  if (piece.size != 0) add_copy(piece.start, keep(piece.start, piece.size), piece.size);
}

char* page_below(char* place) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uint64_t>(place) & ~(page_size - 1));
}
char* page_above(char* place) { return page_below(place + page_size - 1); }

// Empty if it would end before it starts.
Piece piece(char* start, char* end) {
  return {start, start < end ? static_cast<std::size_t>(end - start) : 0};
}

// The whole pages of a range, and what is left before and behind them.
struct Cut {
  Piece before, pages, behind;
};

Cut cut(const ProgramRange& range) {
  char* high = range.start + range.size;
  char* first = range.owns_first_page ? page_below(range.start) : page_above(range.start);
  char* last = range.owns_last_page ? page_above(high) : page_below(high);
  if (first >= last) return {{range.start, range.size}, {first, 0}, {high, 0}};
  return {piece(range.start, first), piece(first, last), piece(last, high)};
}

void guard(const ProgramRange& range) {
  const Cut parts = cut(range);
  copy_piece(parts.before);
  copy_piece(parts.behind);
  if (parts.pages.size == 0) return;
  const char* contents = keep(parts.pages.start, parts.pages.size);
  char* from = std::max(parts.pages.start, range.start);
  if (guard_pages(parts.pages.start, parts.pages.size, contents, from)) return;
  const auto skipped = static_cast<std::size_t>(from - parts.pages.start);
  add_copy(from, contents + skipped, parts.pages.size - skipped);
}

void track(const ProgramRange& range) {
  const Cut parts = cut(range);
  copy_piece(parts.before);
  copy_piece(parts.behind);
  track_memory(parts.pages.start, parts.pages.size);
}

// Data that the program may pass to a system call: copied, if there is little of it.
void plan_program_data() {
  std::size_t total = 0;
  for (const ProgramRange& range : state.ranges) total += range.rarely_written ? 0 : range.size;
  for (;;) {
    ProgramRange* largest = nullptr;
    for (ProgramRange& range : state.ranges) {
      if (range.rarely_written) continue;
      if (largest == nullptr || range.size > largest->size) largest = &range;
    }
    if (total <= copied_at_most || largest->size < worth_tracking) break;
    total -= largest->size;
    track(*largest);
    largest->size = 0;
  }
  for (const ProgramRange& range : state.ranges) {
    if (!range.rarely_written) copy_piece({range.start, range.size});
  }
}

// What is between the blocks of the heap has no contents that matter.
void add_small_blocks(HeapRange used) {
  char* low = page_below(used.start);  // blocks in [low, high) are not in the ranges yet
  char* high = low;
  HeapBlock block = heap_next_small_block(low);
  while (block.address != 0) {
    auto* start = reinterpret_cast<char*>(block.address);
    char* end = start + block.size;
    const HeapBlock next = heap_next_small_block(start + 16);
    if (block.size == exception_reserve) {
      state.ranges.add(low, high, false);
      char* limit = next.address ? reinterpret_cast<char*>(next.address) : used.start + used.size;
      const bool alone = page_below(start) >= high && page_above(end) <= limit;
      state.ranges.add(alone ? page_below(start) : start, alone ? page_above(end) : end, true);
      low = high = end;
    } else {
      if (low == high) low = start;
      high = end;
    }
    block = next;
  }
  state.ranges.add(low, high, false);
}

void copy_shared(ProgramRanges& shared) {
  for (const ProgramRange& range : shared) copy_piece({range.start, range.size});
}

// What is shared with other processes cannot be replaced by a mapping of our own.
void add_early_mappings() {
  ProgramRanges shared;
  const std::size_t before = state.ranges.count;
  if (find_early_mappings(state.ranges, shared)) {
    copy_shared(shared);
  } else {
    state.ranges.count = before;
    needs_fork("has mapped much memory before main");
  }
}

void add_hot_page(const OpenedPage& opened) {
  add_copy(opened.start, opened.image, opened.size);
  ++state.stats.hot_pages;
}

}  // namespace

void snapshot_take() {
  const RuntimeAllocation allocation;
  find_segments(state.ranges);
  find_thread_storage(state.ranges);
  find_initial_stack(state.ranges);
  add_early_mappings();
  heap_freeze_base();
  add_small_blocks(heap_used_small());
  const HeapRange large = heap_used_large();
  state.ranges.add(large.start, large.start + large.size, false);
  for (const ProgramRange& range : state.ranges) state.stats.bytes += range.size;
  plan_program_data();
  for (const ProgramRange& range : state.ranges) {
    if (range.rarely_written) guard(range);
  }
  state.taken = true;
}

void snapshot_take_shared() {
  const RuntimeAllocation allocation;
  ProgramRanges own;
  ProgramRanges shared;
  if (find_early_mappings(own, shared)) copy_shared(shared);
}

void snapshot_restore() {
  for (std::size_t i = 0; i < state.copy_count; ++i) {
    std::memcpy(state.copies[i].to, state.copies[i].from, state.copies[i].size);
  }
  restore_tracked_memory();
  heap_rewind();
  ++state.restores;
}

SnapshotPause::SnapshotPause() {
  if (state.taken) suspend_page_guards();
}

SnapshotPause::~SnapshotPause() {
  if (!state.taken) return;
  resume_page_guards(add_hot_page);
}

bool snapshot_handle_fault(void* address) {
  const OpenedPage opened = open_guarded_page(address);
  if (opened.start == nullptr) return false;
  add_hot_page(opened);
  return true;
}

void snapshot_expect_write(void* start, std::size_t size) {
  if (guarded_pages() == 0 || size == 0) return;
  char* end = static_cast<char*>(start) + size;
  for (char* page = page_below(static_cast<char*>(start)); page < end; page += page_size) {
    snapshot_handle_fault(page);
  }
}

SnapshotStats snapshot_stats() {
  SnapshotStats result = state.stats;
  const TrackedStats tracked = tracked_stats();
  result.tracked_bytes = tracked.bytes;
  result.copied_bytes += tracked.hot_pages * page_size;
  result.hot_pages += tracked.hot_pages;
  result.protected_pages = guarded_pages();
  result.restores = state.restores;
  return result;
}

}  // namespace ricercar::inline threads
