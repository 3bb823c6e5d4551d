// Memory for the small pieces that states are made of. Millions of them come and go every second,
// so each kernel thread keeps lists of free blocks by size; memory goes back to the system only
// when the process ends.
#pragma once

#include <cstddef>

namespace ricercar::detail {

[[gnu::visibility("default")]] void* pool_allocate(std::size_t size);
[[gnu::visibility("default")]] void pool_release(void* block, std::size_t size) noexcept;

// A base class whose heirs come from the pool. An heir is deleted as what it is.
struct Pooled {
  static void* operator new(std::size_t size) { return pool_allocate(size); }
  static void operator delete(void* block, std::size_t size) noexcept { pool_release(block, size); }
};

template <typename T>
struct PoolAllocator {
  using value_type = T;

  PoolAllocator() = default;
  template <typename U>
  PoolAllocator(const PoolAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  // T may be a pointer.
  // NOLINTBEGIN(bugprone-sizeof-expression)
  T* allocate(std::size_t count) { return static_cast<T*>(pool_allocate(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { pool_release(block, count * sizeof(T)); }
  // NOLINTEND(bugprone-sizeof-expression)
  bool operator==(const PoolAllocator&) const { return true; }
};

}  // namespace ricercar::detail
