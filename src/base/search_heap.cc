#include "base/search_heap.h"

#include <bit>
#include <cstdint>

#include "base/check.h"

namespace ricercar {
namespace {

// Blocks are powers of two from 32 bytes up, each behind a header that holds its class. Strategies
// allocate few and long-lived blocks, so the waste does not matter and both directions are a few
// instructions.
constexpr unsigned class_count = 40;
constexpr std::size_t header_size = 16;

struct FreeBlock {
  FreeBlock* next;
};

struct Heap {
  char* next;
  char* limit;
  std::size_t used;
  FreeBlock* free[class_count];
};

Heap* heap = nullptr;

unsigned class_of(std::size_t size) {
  const std::size_t wanted = size + header_size < 32 ? 32 : size + header_size;
  return static_cast<unsigned>(std::bit_width(wanted - 1));
}

}  // namespace

void search_heap_attach(void* start, std::size_t size, bool fresh) {
  heap = static_cast<Heap*>(start);
  if (!fresh) return;
  *heap = Heap{};
  const auto first = reinterpret_cast<std::uintptr_t>(start) + sizeof(Heap);
  heap->next = reinterpret_cast<char*>((first + 63) / 64 * 64);
  heap->limit = static_cast<char*>(start) + size;
}

void* search_allocate(std::size_t size) {
  RICERCAR_CHECK(heap != nullptr);
  const unsigned block_class = class_of(size);
  RICERCAR_CHECK(block_class < class_count);
  heap->used += std::size_t{1} << block_class;
  if (FreeBlock* block = heap->free[block_class]) {
    heap->free[block_class] = block->next;
    return block;
  }
  char* header = heap->next;
  RICERCAR_CHECK(header + (std::size_t{1} << block_class) <= heap->limit);
  heap->next += std::size_t{1} << block_class;
  *reinterpret_cast<std::uint64_t*>(header) = block_class;
  return header + header_size;
}

void search_release(void* block) noexcept {
  if (block == nullptr) return;
  const auto block_class =
      *reinterpret_cast<std::uint64_t*>(static_cast<char*>(block) - header_size);
  RICERCAR_CHECK(block_class < class_count);
  heap->used -= std::size_t{1} << block_class;
  auto* free_block = static_cast<FreeBlock*>(block);
  free_block->next = heap->free[block_class];
  heap->free[block_class] = free_block;
}

std::size_t search_heap_used() { return heap->used; }

}  // namespace ricercar
