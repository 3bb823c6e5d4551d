#include "threads/memory/remapped_memory.h"

#include <linux/memfd.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "threads/memory/page_guard.h"
#include "threads/memory/system_call.h"

namespace ricercar {
namespace {

// Zero pages need no file, if there are enough of them to be worth a mapping of their own.
constexpr std::size_t worth_a_mapping = 64 * page_size;

bool is_zero(const char* page) {
  return page[0] == 0 && std::memcmp(page, page + 1, page_size - 1) == 0;
}

// How far pages that are all zero, or all not zero, go on from `start`.
std::size_t run_length(const char* start, std::size_t size, bool zero) {
  std::size_t length = 0;
  while (length < size && is_zero(start + length) == zero) length += page_size;
  return length;
}

void map_over(char* start, std::size_t size, int flags, int file, std::size_t offset) {
  const char* mapped = map_memory(start, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | flags, file, offset);
  RICERCAR_CHECK(mapped == start);
}

void map_zeroes(char* start, std::size_t size) { map_over(start, size, MAP_ANONYMOUS, -1, 0); }

void write_all(int file, const char* start, std::size_t size) {
  while (size > 0) {
    const long written = system_call(SYS_write, file, as_argument(start), static_cast<long>(size));
    RICERCAR_CHECK(written > 0);
    start += written;
    size -= static_cast<std::size_t>(written);
  }
}

void map_copy(char* start, std::size_t size) {
  const long file = system_call(SYS_memfd_create, as_argument("ricercar-snapshot"), MFD_CLOEXEC);
  RICERCAR_CHECK(file >= 0);
  write_all(static_cast<int>(file), start, size);
  map_over(start, size, 0, static_cast<int>(file), 0);
  system_call(SYS_close, file);
}

}  // namespace

void remap_memory(char* start, std::size_t size) {
  std::size_t copied = 0;  // so many bytes at the start wait for map_copy()
  while (copied < size) {
    const std::size_t zeroes = run_length(start + copied, size - copied, true);
    if (zeroes < worth_a_mapping) {
      copied += zeroes;
      copied += run_length(start + copied, size - copied, false);
      continue;
    }
    if (copied > 0) map_copy(start, copied);
    map_zeroes(start + copied, zeroes);
    start += copied + zeroes;
    size -= copied + zeroes;
    copied = 0;
  }
  if (copied > 0) map_copy(start, copied);
}

void drop_written_pages(char* start, std::size_t size) {
  RICERCAR_CHECK(advise_memory(start, size, MADV_DONTNEED));
}

}  // namespace ricercar
