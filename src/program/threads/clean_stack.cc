#include "threads/clean_stack.h"

#include <emmintrin.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/system_call.h"

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t line = 64;
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t looked_at = 256;         // below the mark, each time
constexpr std::uint64_t most_zeroed = 64 << 10;  // what is deeper goes back to the system
constexpr std::uint64_t top_part = 512;
constexpr std::uint32_t asking_interval = 1024;  // tasks, before the kernel is asked again

bool is_zero(std::uint64_t at) {
  const auto* words = reinterpret_cast<const __m128i*>(at);
  const __m128i any =
      _mm_or_si128(_mm_or_si128(words[0], words[1]), _mm_or_si128(words[2], words[3]));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) == 0xffff;
}

// The first line in [low, high) that is not all zero, or high.
std::uint64_t first_used(std::uint64_t low, std::uint64_t high) {
  while (low < high && is_zero(low)) low += line;
  return low;
}

// Where the used part begins, if nowhere in it so much is unused as is looked at.
std::uint64_t look_below(std::uint64_t mark, std::uint64_t lowest) {
  for (;;) {
    const std::uint64_t from = std::max(lowest, mark - std::min(mark - lowest, looked_at));
    const std::uint64_t found = first_used(from, mark);
    if (found == mark) return mark;
    mark = found;
  }
}

// The same, for certain: the kernel knows the pages that were ever touched.
std::uint64_t ask_below(std::uint64_t mark, std::uint64_t lowest) {
  static unsigned char exists[512];
  for (std::uint64_t from = lowest; from < mark; from += sizeof exists * page) {
    const std::uint64_t end = std::min(mark, from + sizeof exists * page);
    const std::uint64_t size = (end - from + page - 1) / page * page;
    const long failed = system_call(SYS_mincore, static_cast<long>(from), static_cast<long>(size),
                                    as_argument(exists));
    RICERCAR_CHECK(failed == 0);
    for (std::uint64_t i = 0; i * page < end - from; ++i) {
      if ((exists[i] & 1) == 0) continue;
      const std::uint64_t high = std::min(end, from + (i + 1) * page);
      const std::uint64_t found = first_used(from + i * page, high);
      if (found < high) return found;
    }
  }
  return mark;
}

bool is_time_to_ask(std::uint32_t uses) {
  return std::has_single_bit(uses) || uses % asking_interval == 0;
}

}  // namespace

void clean_top(const Fiber& fiber) {
  const auto top = reinterpret_cast<std::uint64_t>(fiber.stack.low + fiber.stack.size);
  std::uint64_t at = (top & ~(line - 1)) - top_part;
  for (std::uint64_t left = top_part; left != 0; left -= line, at += line) {
    // Otherwise the compiler makes it a string instruction, which takes long to begin.
    asm("" : "+r"(at));
    auto* words = reinterpret_cast<__m128i*>(at);
    for (int i = 0; i < 4; ++i) _mm_store_si128(words + i, _mm_setzero_si128());
  }
}

void clean_stack(Fiber& fiber) {
  const auto lowest = reinterpret_cast<std::uint64_t>(fiber.stack.low);
  const std::uint64_t top = lowest + fiber.stack.size;
  std::uint64_t mark = look_below(std::clamp(fiber.used, lowest, top) & ~(line - 1), lowest);
  // The first tasks go deeper than all others, because much happens for the first time.
  if (is_time_to_ask(++fiber.uses)) mark = first_used(ask_below(mark, lowest), top & ~(line - 1));
  fiber.used = mark;
  if (top - mark > most_zeroed) {
    advise_memory(fiber.stack.low, top - most_zeroed - lowest, MADV_DONTNEED);
    mark = top - most_zeroed;
  }
  std::memset(reinterpret_cast<void*>(mark), 0, top - mark);
}

}  // namespace ricercar::inline threads
