// What the areas of the heap are made of: shadow bytes, notes and size classes; and how memory is
// cleared and given back.
#pragma once

#include <emmintrin.h>
#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/system_call.h"
#include "threads/memory/heap.h"

namespace ricercar::inline threads {

// What the shadow byte of a granule says: a HeapState, and whether a block begins here.
inline constexpr std::uint8_t shadow_begin = 4;
inline constexpr std::uint8_t shadow_live = static_cast<std::uint8_t>(HeapState::live);
inline constexpr std::uint8_t shadow_freed = static_cast<std::uint8_t>(HeapState::freed);

struct SmallNote {
  std::uint32_t size;
  std::uint32_t next;  // in a list; 0 ends it
};

struct LargeNote {
  std::uint64_t size;
  std::uint64_t next;
};

// Exact classes up to 64 granules, then four for each doubling.
struct SizeClass {
  static constexpr std::uint32_t count = 65 + 4 * 26;

  static std::uint32_t of(std::uint64_t granules) {
    if (granules <= 64) return static_cast<std::uint32_t>(granules);
    const auto width = static_cast<std::uint32_t>(std::bit_width(granules - 1));
    return 65 + (width - 7) * 4 + (static_cast<std::uint32_t>((granules - 1) >> (width - 3)) & 3);
  }
  // The granules that a block of the same class as one of `granules` has.
  static std::uint64_t span(std::uint64_t granules) {
    if (granules <= 64) return granules;
    const std::uint64_t step = std::uint64_t{1} << (std::bit_width(granules - 1) - 3);
    return (granules + step - 1) & ~(step - 1);
  }
};

// For the shadow of an execution, which is short mostly: memset() pays for its generality.
inline void zero_bytes(std::uint8_t* begin, std::uint8_t* end) {
  if (end - begin > 1024) {
    std::memset(begin, 0, static_cast<std::size_t>(end - begin));
    return;
  }
  for (; end - begin >= 16; begin += 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(begin), _mm_setzero_si128());
    asm volatile("");  // stays a loop
  }
  for (; end - begin >= 4; begin += 4) std::memset(begin, 0, 4);
  for (; begin != end; ++begin) *begin = 0;
}

struct WholePages {
  std::uint64_t low, high;  // low >= high: there are none

  WholePages(const void* begin, const void* end)
      : low((reinterpret_cast<std::uint64_t>(begin) + 4095) & ~std::uint64_t{4095}),
        high(reinterpret_cast<std::uint64_t>(end) & ~std::uint64_t{4095}) {}

  void give_back() const {
    if (low < high) advise_memory(reinterpret_cast<void*>(low), high - low, MADV_DONTNEED);
  }
};

// Gives whole pages back; the rest of the range keeps its contents.
inline void drop_pages(char* begin, char* end) { WholePages(begin, end).give_back(); }

// Gives whole pages back, and clears the rest of the range.
inline void drop_bytes(std::uint8_t* begin, std::uint8_t* end) {
  const WholePages pages(begin, end);
  pages.give_back();
  if (pages.low >= pages.high) {
    zero_bytes(begin, end);
    return;
  }
  zero_bytes(begin, reinterpret_cast<std::uint8_t*>(pages.low));
  zero_bytes(reinterpret_cast<std::uint8_t*>(pages.high), end);
}

}  // namespace ricercar::inline threads
