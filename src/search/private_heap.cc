// Inside of the runtime library every allocation of C++ and of the C++ library comes from the
// search's own heap. These definitions are local to the library (see runtime.map); `malloc` and its
// kin are reached through the linker's --wrap.
#include <cstring>
#include <new>

#include "base/search_heap.h"

namespace {

// Blocks of the search heap are aligned to 16 bytes. For more, the block is found again by a
// pointer to it that stands in front of the aligned part.
void* allocate_aligned(std::size_t size, std::align_val_t alignment) {
  const auto wanted = static_cast<std::size_t>(alignment);
  auto* block = static_cast<char*>(ricercar::search_allocate(size + wanted + sizeof(void*)));
  const auto first = reinterpret_cast<std::size_t>(block) + sizeof(void*);
  auto* aligned = reinterpret_cast<char*>((first + wanted - 1) / wanted * wanted);
  std::memcpy(aligned - sizeof(void*), &block, sizeof(void*));
  return aligned;
}

void release_aligned(void* aligned) {
  if (aligned == nullptr) return;
  void* block;
  std::memcpy(&block, static_cast<char*>(aligned) - sizeof(void*), sizeof(void*));
  ricercar::search_release(block);
}

}  // namespace

void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, alignment);
}
void operator delete(void* block, std::align_val_t) noexcept { release_aligned(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release_aligned(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  release_aligned(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  release_aligned(block);
}

void* operator new(std::size_t size) { return ricercar::search_allocate(size); }
void* operator new[](std::size_t size) { return ricercar::search_allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return ricercar::search_allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return ricercar::search_allocate(size);
}
void operator delete(void* block) noexcept { ricercar::search_release(block); }
void operator delete[](void* block) noexcept { ricercar::search_release(block); }
void operator delete(void* block, std::size_t) noexcept { ricercar::search_release(block); }
void operator delete[](void* block, std::size_t) noexcept { ricercar::search_release(block); }

#pragma GCC visibility push(hidden)
extern "C" {
void* __wrap_malloc(std::size_t size) { return ricercar::search_allocate(size); }
void __wrap_free(void* block) { ricercar::search_release(block); }
void* __wrap_calloc(std::size_t count, std::size_t size) {
  void* block = ricercar::search_allocate(count * size);
  return std::memset(block, 0, count * size);
}
void* __wrap_realloc(void* block, std::size_t size) {
  void* larger = ricercar::search_allocate(size);
  if (block == nullptr) return larger;
  const std::size_t before = ricercar::search_block_size(block);
  std::memcpy(larger, block, before < size ? before : size);
  ricercar::search_release(block);
  return larger;
}
}
#pragma GCC visibility pop
