#include "threads/buffers.h"

#include <algorithm>
#include <cstring>

#include "threads/memory/snapshot.h"
#include "threads/memory_access.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t largest_access = std::size_t{1} << 31;

std::uint64_t number_of(const void* memory) {
  return one_address(reinterpret_cast<std::uint64_t>(memory));
}
std::uint32_t bytes_of(std::size_t size) {
  return static_cast<std::uint32_t>(std::min(size, largest_access));
}

// A read is no sign of spinning: the caller may not be instrumented, so that what else it does is
// not seen.
void announce_access(const void* memory, std::size_t size, bool is_write, std::uint64_t site) {
  const std::uint64_t address = number_of(memory);
  access_point(is_access_point(address, bytes_of(size), is_write), address, bytes_of(size),
               is_write, site);
}

void access(const void* memory, std::size_t size, bool is_write, std::uint64_t site) {
  if (memory == nullptr || size == 0) return;
  announce_access(memory, size, is_write, site);
  note_access(number_of(memory), bytes_of(size), is_write, site);
}

void access_parts(const iovec* parts, std::size_t count, std::size_t bytes, bool is_write,
                  std::uint64_t site) {
  for (std::size_t i = 0; i < count && bytes > 0; ++i) {
    const std::size_t size = std::min(bytes, parts[i].iov_len);
    access(parts[i].iov_base, size, is_write, site);
    bytes -= size;
  }
}

}  // namespace

void program_reads(const void* memory, std::size_t size, std::uint64_t site) {
  access(memory, size, false, site);
}
void program_writes(void* memory, std::size_t size, std::uint64_t site) {
  access(memory, size, true, site);
}

void program_reads_text(const char* text, std::uint64_t site) {
  if (text == nullptr) return;
  expect_live(text, false, site);
  access(text, std::strlen(text) + 1, false, site);
}
void program_reads_text(const char* text, std::size_t limit, std::uint64_t site) {
  if (text == nullptr || limit == 0) return;
  expect_live(text, false, site);
  std::size_t length = 0;
  while (length < limit && text[length] != 0) ++length;
  access(text, length < limit ? length + 1 : limit, false, site);
}

void expect_live(const void* memory, bool is_write, std::uint64_t site) {
  check_freed(number_of(memory), 1, is_write, site);
}

Filling::Filling(void* memory, std::size_t size, std::uint64_t site)
    : memory_(memory), size_(memory == nullptr ? 0 : size), site_(site) {
  if (size_ == 0) return;
  check_freed(number_of(memory), bytes_of(size), true, site);
  announce_access(memory, size, true, site);
  snapshot_expect_write(memory, size);
}

void Filling::filled(std::size_t bytes) const {
  const std::size_t size = std::min(bytes, size_);
  if (size != 0) note_access(number_of(memory_), bytes_of(size), true, site_);
}

void program_reads_parts(const iovec* parts, std::size_t count, std::size_t bytes,
                         std::uint64_t site) {
  access_parts(parts, count, bytes, false, site);
}
void program_writes_parts(const iovec* parts, std::size_t count, std::size_t bytes,
                          std::uint64_t site) {
  access_parts(parts, count, bytes, true, site);
}

}  // namespace ricercar::inline threads
