// The heap of the program under test: one arena at a fixed address, and the same calls give the
// same addresses in every execution and in every process.
//
// Nothing of the bookkeeping lies in the arena, so a wild write of the program cannot damage it: a
// shadow byte for each granule says what the granule is, a note for each block how large it is.
// Blocks of up to 128 KiB come from the small area (granules of 16 bytes, filled with a pattern),
// larger ones from the large area (granules of a page, always zero at first).
//
// Not thread-safe unless `heap_locking` is set: the program's threads are fibers of one kernel
// thread. `heap_locking` has to be set before a second kernel thread may allocate.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

inline constexpr std::uint64_t heap_start = 0x100000000000;
inline constexpr std::uint64_t heap_size = std::uint64_t{64} << 30;
inline constexpr std::uint64_t heap_small_size = std::uint64_t{16} << 30;
inline constexpr std::uint64_t heap_large_start = heap_start + heap_small_size;
inline constexpr std::uint64_t heap_small_shadow = 0x110000000000;
inline constexpr std::uint64_t heap_large_shadow = heap_small_shadow + (heap_small_size >> 4);

inline constexpr unsigned char heap_fresh_pattern = 0xbe;  // in a new block
inline constexpr unsigned char heap_freed_pattern = 0xdd;  // at the start of a freed one

extern bool heap_locking;

// `alignment` is a power of two of at least 16. nullptr: too large for the arena.
void* heap_allocate(std::size_t size, std::size_t alignment);
void* heap_allocate_zeroed(std::size_t size);

enum class Release : std::uint8_t { done, null, double_free, not_a_block };

// A freed block is used again only after more than a few megabytes were freed after it, so that a
// use of freed memory is seen.
Release heap_release(void* block);

// 0 for what is not a live block.
std::size_t heap_usable_size(void* block);

inline bool heap_contains(std::uint64_t address) { return address - heap_start < heap_size; }

enum class HeapState : std::uint8_t { unused = 0, live = 1, freed = 2, outside = 3 };

inline HeapState heap_state(std::uint64_t address) {
  if (!heap_contains(address)) return HeapState::outside;
  const std::uint64_t offset = address - heap_start;
  const std::uint64_t shadow = offset < heap_small_size
                                   ? heap_small_shadow + (offset >> 4)
                                   : heap_large_shadow + ((offset - heap_small_size) >> 12);
  return static_cast<HeapState>(*reinterpret_cast<const std::uint8_t*>(shadow) & 3);
}

struct HeapBlock {
  std::uint64_t address;  // 0: no block is or was there
  std::uint64_t size;     // as it was asked for
  bool live;
};

// The block around an address, live or freed. Slow: for messages.
HeapBlock heap_block_of(std::uint64_t address);

// What is allocated so far is the base: executions allocate above it, from a new page on.
void heap_freeze_base();

// A resident execution begins. If every block of the last one was freed, this one gets the same
// addresses again; otherwise it goes on above what is still live.
void heap_begin_execution();

// Where the running execution's blocks begin, in both areas.
struct HeapStart {
  std::uint64_t small = 0;
  std::uint64_t large = 0;
};
HeapStart heap_execution_start();

// A whole program starts again: forgets all blocks above the base, and that base blocks were freed.
// The bytes of the base are the snapshot's business.
void heap_rewind();

struct HeapRange {
  char* start;
  std::size_t size;
};

// The parts of the arena that are in use, small area and large area. For the snapshot.
HeapRange heap_used_small();
HeapRange heap_used_large();

// The first block of the small area at or behind an address; address 0: there is none. Slow.
HeapBlock heap_next_small_block(const char* from);

}  // namespace ricercar::inline threads
