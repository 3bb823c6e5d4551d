#include "threads/memory/mappings.h"

#include <sys/mman.h>

#include <cstdint>

#include "base/system_call.h"
#include "threads/memory/external_state.h"
#include "threads/memory/memory_state.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.mappings;
constexpr std::uint64_t region_start = OwnMappings::region_start;
using Piece = OwnMappings::Piece;

constexpr std::uint64_t region_size = std::uint64_t{1} << 40;
constexpr std::uint64_t page = 4096;

std::uint64_t whole_pages(std::uint64_t size) { return (size + page - 1) & ~(page - 1); }

void unmap(std::uint64_t start, std::uint64_t size) {
  system_call(SYS_munmap, static_cast<long>(start), static_cast<long>(size));
}

bool contains(const Piece& piece, std::uint64_t start, std::size_t size) {
  return start >= piece.start && start + size <= piece.start + whole_pages(piece.size);
}

}  // namespace

void mappings_take() {
  state.saved_break = system_call(SYS_brk, 0);
  memory_state.aliases.freeze();
}

void mappings_restore() {
  memory_state.aliases.rewind();
  if (state.next != region_start) unmap(region_start, state.next - region_start);
  state.next = region_start;
  for (std::size_t i = 0; i < state.outside.count; ++i) {
    unmap(state.outside.pieces[i].start, state.outside.pieces[i].size);
  }
  for (std::size_t i = 0; i < state.protection.count; ++i) {
    protect_memory(reinterpret_cast<void*>(state.protection.pieces[i].start),
                   state.protection.pieces[i].size, PROT_READ | PROT_WRITE);
  }
  state.outside.count = state.protection.count = 0;
  if (state.break_changed) system_call(SYS_brk, state.saved_break);
  state.break_changed = false;
}

void* place_for_mapping(std::size_t size) {
  if (size == 0 || size > region_start + region_size - state.next) return nullptr;
  auto* place = reinterpret_cast<void*>(state.next);
  state.next += whole_pages(size) + page;  // an unmapped page between two mappings
  return place;
}

void note_mapping(void* start, std::size_t size) {
  if (!state.outside.add(start, size)) needs_fork("maps memory at many places");
}
void note_protection(void* start, std::size_t size) {
  if (!state.protection.add(start, size))
    needs_fork("changes the protection of memory at many places");
}
void note_break(const void* end) {
  state.break_changed = true;
  if (reinterpret_cast<long>(end) < state.saved_break) {
    needs_fork("gives memory back that it had before main");
  }
}

bool is_own_mapping(const void* start, std::size_t size) {
  const auto low = reinterpret_cast<std::uint64_t>(start);
  if (contains({region_start, state.next - region_start}, low, size)) return true;
  for (std::size_t i = 0; i < state.outside.count; ++i) {
    if (contains(state.outside.pieces[i], low, size)) return true;
  }
  return false;
}

}  // namespace ricercar::inline threads
