// Inside of the runtime library every allocation of C++ and of the C++ library comes from the
// search's own heap: the linker's --wrap sends it here. What the library shows under these names
// are hooks for the program.
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

// The names are those of operator new and delete, which --wrap sends here.
#pragma GCC visibility push(hidden)
extern "C" {
void* __wrap__Znwm(std::size_t size) { return ricercar::search_allocate(size); }
void* __wrap__ZnwmRKSt9nothrow_t(std::size_t size, const std::nothrow_t&) {
  return ricercar::search_allocate(size);
}
void* __wrap__ZnwmSt11align_val_t(std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, alignment);
}
void* __wrap__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t size, std::align_val_t alignment,
                                                const std::nothrow_t&) {
  return allocate_aligned(size, alignment);
}
void* __wrap__Znam(std::size_t size) { return ricercar::search_allocate(size); }
void* __wrap__ZnamRKSt9nothrow_t(std::size_t size, const std::nothrow_t&) {
  return ricercar::search_allocate(size);
}
void* __wrap__ZnamSt11align_val_t(std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, alignment);
}
void* __wrap__ZnamSt11align_val_tRKSt9nothrow_t(std::size_t size, std::align_val_t alignment,
                                                const std::nothrow_t&) {
  return allocate_aligned(size, alignment);
}
void __wrap__ZdlPv(void* block) { ricercar::search_release(block); }
void __wrap__ZdlPvm(void* block, std::size_t) { ricercar::search_release(block); }
void __wrap__ZdlPvRKSt9nothrow_t(void* block, const std::nothrow_t&) {
  ricercar::search_release(block);
}
void __wrap__ZdlPvSt11align_val_t(void* block, std::align_val_t) { release_aligned(block); }
void __wrap__ZdlPvmSt11align_val_t(void* block, std::size_t, std::align_val_t) {
  release_aligned(block);
}
void __wrap__ZdlPvSt11align_val_tRKSt9nothrow_t(void* block, std::align_val_t,
                                                const std::nothrow_t&) {
  release_aligned(block);
}
void __wrap__ZdaPv(void* block) { ricercar::search_release(block); }
void __wrap__ZdaPvm(void* block, std::size_t) { ricercar::search_release(block); }
void __wrap__ZdaPvRKSt9nothrow_t(void* block, const std::nothrow_t&) {
  ricercar::search_release(block);
}
void __wrap__ZdaPvSt11align_val_t(void* block, std::align_val_t) { release_aligned(block); }
void __wrap__ZdaPvmSt11align_val_t(void* block, std::size_t, std::align_val_t) {
  release_aligned(block);
}
void __wrap__ZdaPvSt11align_val_tRKSt9nothrow_t(void* block, std::align_val_t,
                                                const std::nothrow_t&) {
  release_aligned(block);
}
}
#pragma GCC visibility pop

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
