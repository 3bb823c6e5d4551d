#include "base/search_heap.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>

#include "base/check.h"
#include "base/system_call.h"

namespace ricercar::inline base {
namespace {

// Blocks are powers of two from 32 bytes up, each behind a header that holds its class. Strategies
// allocate few and long-lived blocks, so the waste does not matter and both directions are a few
// instructions.
constexpr unsigned class_count = 40;
constexpr std::size_t header_size = 16;
constexpr std::uintptr_t local_address = 0x280000000000;
constexpr std::size_t local_size = std::size_t{64} << 30;

unsigned class_of(std::size_t size) {
  const std::size_t wanted = size + header_size < 32 ? 32 : size + header_size;
  return static_cast<unsigned>(std::bit_width(wanted - 1));
}

std::uint64_t& header_of(const void* block) {
  return *reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(block) - header_size);
}

}  // namespace

struct SearchHeap {
  char* next;
  char* limit;
  std::uint64_t users;  // how many SharedAllocations there are
  struct FreeBlock {
    FreeBlock* next;
  };
  FreeBlock* free[class_count];

  bool contains(const void* block) const { return block > this && block < limit; }
  void* allocate(std::size_t size);
  void release(void* block);
};

namespace heap_detail {

SearchHeap* shared_heap = nullptr;
SearchHeap* current_heap = nullptr;
std::uint64_t* shared_heap_users = nullptr;

}  // namespace heap_detail

namespace {

using heap_detail::current_heap;
using heap_detail::shared_heap;

SearchHeap* local_heap = nullptr;

SearchHeap* make_heap(void* start, std::size_t size) {
  auto* heap = static_cast<SearchHeap*>(start);
  *heap = SearchHeap{};
  const auto first = reinterpret_cast<std::uintptr_t>(start) + sizeof(SearchHeap);
  heap->next = reinterpret_cast<char*>((first + 63) / 64 * 64);
  heap->limit = static_cast<char*>(start) + size;
  return heap;
}

// On first use, because the C++ runtime allocates before any constructor of ours has run. A system
// call of its own, because `mmap` may be a hook.
void make_local_heap() {
  RICERCAR_CHECK(local_heap == nullptr);
  char* start = map_memory(reinterpret_cast<void*>(local_address), local_size,
                           PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  RICERCAR_CHECK(start != nullptr);
  local_heap = make_heap(start, local_size);
}

SearchHeap* heap_of(const void* block) {
  if (local_heap != nullptr && local_heap->contains(block)) return local_heap;
  if (shared_heap != nullptr && shared_heap->contains(block)) return shared_heap;
  return nullptr;
}

}  // namespace

void* SearchHeap::allocate(std::size_t size) {
  const unsigned block_class = class_of(size);
  RICERCAR_CHECK(block_class < class_count);
  if (FreeBlock* block = free[block_class]) {
    free[block_class] = block->next;
    return block;
  }
  char* header = next;
  RICERCAR_CHECK(header + (std::size_t{1} << block_class) <= limit);
  next += std::size_t{1} << block_class;
  *reinterpret_cast<std::uint64_t*>(header) = block_class;
  return header + header_size;
}

void SearchHeap::release(void* block) {
  const std::uint64_t block_class = header_of(block);
  RICERCAR_CHECK(block_class < class_count);
  auto* free_block = static_cast<FreeBlock*>(block);
  free_block->next = free[block_class];
  free[block_class] = free_block;
}

void search_heap_attach(void* start, std::size_t size, bool fresh) {
  shared_heap = fresh ? make_heap(start, size) : static_cast<SearchHeap*>(start);
  heap_detail::shared_heap_users = &shared_heap->users;
}

void* search_allocate(std::size_t size) {
  if (__builtin_expect(current_heap == nullptr, 0)) {
    // What is made for all processes is local, too, where there is only one, as in a unit test.
    if (local_heap == nullptr) make_local_heap();
    current_heap = local_heap;
  }
  return current_heap->allocate(size);
}

void search_release(void* block) noexcept {
  if (block == nullptr) return;
  SearchHeap* heap = heap_of(block);
  RICERCAR_CHECK(heap != nullptr);
  heap->release(block);
}

std::size_t search_block_size(const void* block) {
  return (std::size_t{1} << header_of(block)) - header_size;
}

bool search_heap_is_busy() { return shared_heap != nullptr && shared_heap->users != 0; }

void* search_reserve(std::size_t size) {
  if (shared_heap == nullptr) return nullptr;
  const std::size_t pages = (size + 4095) / 4096 * 4096;
  if (pages > static_cast<std::size_t>(shared_heap->limit - shared_heap->next) / 2) return nullptr;
  shared_heap->limit -= pages;
  return shared_heap->limit;
}

}  // namespace ricercar::inline base
