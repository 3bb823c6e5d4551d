#include "threads/memory/heap.h"

#include <emmintrin.h>

#include <atomic>

#include "threads/memory/heap_area.h"

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t largest_small = 128 << 10;
constexpr std::uint64_t worth_a_search = 16 << 20;  // garbage in the base, before it is looked for
constexpr std::uint64_t small_notes = 0x120000000000;
constexpr std::uint64_t large_notes = 0x130000000000;
constexpr std::uint64_t freed_fill = 256;  // so much of a freed block is overwritten

constinit HeapArea<HeapAreaOptions{.start = heap_start,
                                   .size = heap_small_size,
                                   .shadow = heap_small_shadow,
                                   .notes = small_notes,
                                   .shift = 4,
                                   .quarantine_bytes = 2 << 20,
                                   .kept_bytes = 4 << 20},
                   SmallNote>
    small_area;
// Nothing of the large area is kept, so that its fresh memory is always zero.
constinit HeapArea<HeapAreaOptions{.start = heap_large_start,
                                   .size = heap_size - heap_small_size,
                                   .shadow = heap_large_shadow,
                                   .notes = large_notes,
                                   .shift = 12,
                                   .quarantine_bytes = 64 << 20,
                                   .kept_bytes = 0},
                   LargeNote>
    large_area;
constinit bool mapped = false;
constinit std::atomic_flag busy = ATOMIC_FLAG_INIT;

class Lock {
 public:
  Lock() : held_(heap_locking) {
    if (!held_) return;
    while (busy.test_and_set(std::memory_order_acquire)) _mm_pause();
  }
  ~Lock() {
    if (held_) busy.clear(std::memory_order_release);
  }

 private:
  bool held_;
};

// ld.so and libc allocate before any constructor of ours has run.
void map_if_needed() {
  if (__builtin_expect(mapped, 1)) return;
  mapped = true;
  small_area.map();
  large_area.map();
}

// Blocks are whole granules, so the fill may end at the next multiple of 16.
inline void fill(char* block, std::uint64_t size, unsigned char pattern) {
  if (size > 256) {
    std::memset(block, pattern, size);
    return;
  }
  const __m128i value = _mm_set1_epi8(static_cast<char>(pattern));
  for (std::uint64_t i = 0; i < size; i += 16) {
    _mm_store_si128(reinterpret_cast<__m128i*>(block + i), value);
    asm volatile("");  // compilers make a `rep stos` of the loop, which takes longer to start
  }
}

void* allocate_filled(std::uint64_t size, std::uint64_t alignment, unsigned char pattern) {
  const Lock lock;
  map_if_needed();
  if (size > largest_small) {
    return (size | alignment) < heap_size ? large_area.allocate(size, alignment) : nullptr;
  }
  char* block = small_area.allocate(size, alignment);
  if (block) fill(block, size, pattern);
  return block;
}

// What happens to the memory of freed blocks.
void keep(char*, std::uint64_t) {}
void spoil(char* block, std::uint64_t size) {
  fill(block, size < freed_fill ? size : freed_fill, heap_freed_pattern);
}
void drop(char* block, std::uint64_t size) { advise_memory(block, size, MADV_DONTNEED); }

bool is_small(std::uint64_t address) { return address < heap_large_start; }

}  // namespace

constinit bool heap_locking = false;

void* heap_allocate(std::size_t size, std::size_t alignment) {
  return allocate_filled(size, alignment, heap_fresh_pattern);
}

void* heap_allocate_zeroed(std::size_t size) { return allocate_filled(size, 16, 0); }

Release heap_release(void* block) {
  if (block == nullptr) return Release::null;
  const auto address = reinterpret_cast<std::uint64_t>(block);
  if (!heap_contains(address) || !mapped) return Release::not_a_block;
  const Lock lock;
  return is_small(address) ? small_area.release(address, spoil, keep)
                           : large_area.release(address, keep, drop);
}

std::size_t heap_usable_size(void* block) {
  const auto address = reinterpret_cast<std::uint64_t>(block);
  if (!heap_contains(address) || !mapped) return 0;
  const bool small = is_small(address);
  const std::int64_t size = small ? small_area.size_of(address) : large_area.size_of(address);
  const std::int64_t granule = small ? 16 : 4096;
  return size < 0 ? 0 : static_cast<std::size_t>((size + (size == 0) + granule - 1) & -granule);
}

HeapBlock heap_block_of(std::uint64_t address) {
  if (!heap_contains(address) || !mapped) return {0, 0, false};
  return is_small(address) ? small_area.block_of(address) : large_area.block_of(address);
}

void heap_freeze_base() {
  map_if_needed();
  small_area.finish_page();
  small_area.freeze_base();
  large_area.freeze_base();
}

void heap_begin_execution() {
  map_if_needed();
  if (!small_area.execution_has_live_blocks() && !large_area.execution_has_live_blocks()) {
    small_area.accept_base_releases();
    large_area.accept_base_releases();
    small_area.rewind();
    large_area.rewind();
    return;
  }
  small_area.freeze_base();
  large_area.freeze_base();
  small_area.reuse_garbage(worth_a_search);
  large_area.reuse_garbage(worth_a_search * 16);
}

HeapStart heap_execution_start() { return {small_area.start(), large_area.start()}; }

void heap_rewind() {
  small_area.rewind();
  large_area.rewind();
  small_area.undo_base_releases();
  large_area.undo_base_releases();
}

HeapRange heap_used_small() { return small_area.used(); }
HeapRange heap_used_large() { return large_area.used(); }

HeapBlock heap_next_small_block(const char* from) {
  return small_area.next_block(reinterpret_cast<std::uint64_t>(from));
}

}  // namespace ricercar::inline threads
