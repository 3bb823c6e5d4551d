#include "threads/memory/mappings.h"

#include <sys/mman.h>

#include <cstdint>

#include "base/system_call.h"
#include "threads/memory/aliases.h"
#include "threads/memory/external_state.h"

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t region_start = 0x140000000000;
constexpr std::uint64_t region_size = std::uint64_t{1} << 40;
constexpr std::uint64_t page = 4096;
constexpr std::size_t most_pieces = 256;

struct Piece {
  std::uint64_t start;
  std::uint64_t size;
};

struct PieceList {
  // False: there is no room.
  bool add(void* start, std::size_t size) {
    if (count == most_pieces) return false;
    pieces[count++] = {reinterpret_cast<std::uint64_t>(start), size};
    return true;
  }

  std::size_t count = 0;
  Piece pieces[most_pieces] = {};
};

constinit std::uint64_t next = region_start;
constinit PieceList outside;     // mapped, but not in the region
constinit PieceList protection;  // parts of the heap
constinit bool break_changed = false;
constinit long saved_break = 0;

std::uint64_t whole_pages(std::uint64_t size) { return (size + page - 1) & ~(page - 1); }

void unmap(std::uint64_t start, std::uint64_t size) {
  system_call(SYS_munmap, static_cast<long>(start), static_cast<long>(size));
}

bool contains(const Piece& piece, std::uint64_t start, std::size_t size) {
  return start >= piece.start && start + size <= piece.start + whole_pages(piece.size);
}

}  // namespace

void mappings_take() {
  saved_break = system_call(SYS_brk, 0);
  aliases_freeze();
}

void mappings_restore() {
  aliases_rewind();
  if (next != region_start) unmap(region_start, next - region_start);
  next = region_start;
  for (std::size_t i = 0; i < outside.count; ++i) {
    unmap(outside.pieces[i].start, outside.pieces[i].size);
  }
  for (std::size_t i = 0; i < protection.count; ++i) {
    protect_memory(reinterpret_cast<void*>(protection.pieces[i].start), protection.pieces[i].size,
                   PROT_READ | PROT_WRITE);
  }
  outside.count = protection.count = 0;
  if (break_changed) system_call(SYS_brk, saved_break);
  break_changed = false;
}

void* place_for_mapping(std::size_t size) {
  if (size == 0 || size > region_start + region_size - next) return nullptr;
  auto* place = reinterpret_cast<void*>(next);
  next += whole_pages(size) + page;  // an unmapped page between two mappings
  return place;
}

void note_mapping(void* start, std::size_t size) {
  if (!outside.add(start, size)) needs_fork("maps memory at many places");
}
void note_protection(void* start, std::size_t size) {
  if (!protection.add(start, size)) needs_fork("changes the protection of memory at many places");
}
void note_break(const void* end) {
  break_changed = true;
  if (reinterpret_cast<long>(end) < saved_break) {
    needs_fork("gives memory back that it had before main");
  }
}

bool is_own_mapping(const void* start, std::size_t size) {
  const auto low = reinterpret_cast<std::uint64_t>(start);
  if (contains({region_start, next - region_start}, low, size)) return true;
  for (std::size_t i = 0; i < outside.count; ++i) {
    if (contains(outside.pieces[i], low, size)) return true;
  }
  return false;
}

}  // namespace ricercar::inline threads
