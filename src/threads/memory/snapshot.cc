#include "threads/memory/snapshot.h"

#include <sys/mman.h>

#include <cstring>

#include "threads/memory/heap.h"
#include "threads/memory/program_memory.h"
#include "threads/memory/runtime_allocation.h"
#include "threads/memory/system_call.h"

namespace ricercar {
namespace {

constinit ProgramRanges ranges;
constinit char* copies[ProgramRanges::limit] = {};
constinit bool taken = false;
constinit std::size_t restores = 0;

void save(std::size_t i) {
  const ProgramRange& range = ranges.ranges[i];
  copies[i] = map_memory(nullptr, range.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  RICERCAR_CHECK(copies[i] != nullptr);
  std::memcpy(copies[i], range.start, range.size);
}

void add_heap(HeapRange range) { ranges.add(range.start, range.start + range.size, false); }

}  // namespace

void snapshot_take() {
  const RuntimeAllocation allocation;
  find_segments(ranges);
  find_thread_storage(ranges);
  find_initial_stack(ranges);
  heap_freeze_base();
  add_heap(heap_used_small());
  add_heap(heap_used_large());
  for (std::size_t i = 0; i < ranges.count; ++i) save(i);
  taken = true;
}

void snapshot_restore() {
  for (std::size_t i = 0; i < ranges.count; ++i) {
    std::memcpy(ranges.ranges[i].start, copies[i], ranges.ranges[i].size);
  }
  heap_rewind();
  ++restores;
}

void snapshot_add_range(void* start, std::size_t size) {
  ranges.add(static_cast<char*>(start), static_cast<char*>(start) + size, false);
  if (taken) save(ranges.count - 1);
}

bool snapshot_handle_fault(void*) { return false; }

void snapshot_expect_write(void*, std::size_t) {}

SnapshotStats snapshot_stats() {
  SnapshotStats stats{};
  for (const ProgramRange& range : ranges) stats.bytes += range.size;
  stats.copied_bytes = stats.bytes;
  stats.restores = restores;
  return stats;
}

}  // namespace ricercar
