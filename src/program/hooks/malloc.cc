// malloc and its relatives for the program under test. `operator new` of libstdc++ calls malloc, so
// it is covered as well.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include <cstring>

#include "base/system_call.h"
#include "threads/memory/heap_hooks.h"
#include "threads/memory/real_function.h"
#include "threads/memory/runtime_allocation.h"

namespace ricercar::inline threads {

constinit bool heap_events_wanted = false;

}  // namespace ricercar::inline threads

namespace ricercar::inline hooks {

namespace {

constexpr std::size_t smallest_alignment = 16;
constexpr std::size_t page = 4096;

#define CALLER __builtin_return_address(0)

void* announced(void* block, std::size_t size, void* caller) {
  if (block == nullptr) errno = ENOMEM;
  if (__builtin_expect(heap_events_wanted, 0) && block) heap_event(true, block, size, caller);
  return block;
}

void* allocate(std::size_t size, std::size_t alignment, void* caller) {
  if (is_for_runtime(caller)) return runtime_allocate(size, alignment);
  return announced(heap_allocate(size, alignment), size, caller);
}

void* allocate_zeroed(std::size_t size, void* caller) {
  if (is_for_runtime(caller)) {
    void* block = runtime_allocate(size, smallest_alignment);
    return block ? std::memset(block, 0, size) : nullptr;
  }
  return announced(heap_allocate_zeroed(size), size, caller);
}

[[noreturn]] void abort_bad_free(Release why) {
  static constexpr char twice[] =
      "ricercar: a block of memory was freed twice; the program is stopped.\n";
  static constexpr char unknown[] =
      "ricercar: free() was called with a pointer that malloc() did not return; the program is "
      "stopped.\n";
  const char* text = why == Release::double_free ? twice : unknown;
  system_call(SYS_write, 2, as_argument(text), static_cast<long>(std::strlen(text)));
  abort();
}

void release(void* block, void* caller) {
  if (is_runtime_block(block)) {
    runtime_release(block);
    return;
  }
  if (__builtin_expect(heap_events_wanted, 0) && block) {
    heap_event(false, block, 0, caller);
  }
  const Release result = heap_release(block);
  if (__builtin_expect(result <= Release::null, 1)) return;
  if (!report_bad_free(block, result, caller)) abort_bad_free(result);
}

std::size_t usable_size(void* block) {
  return is_runtime_block(block) ? runtime_block_size(block) : heap_usable_size(block);
}

void* reallocate(void* block, std::size_t size, void* caller) {
  if (block == nullptr) return allocate(size, smallest_alignment, caller);
  if (size == 0) {
    release(block, caller);
    return nullptr;
  }
  const std::size_t old_size = usable_size(block);
  if (old_size == 0) {  // not a live block
    release(block, caller);
    return nullptr;
  }
  void* moved = allocate(size, smallest_alignment, caller);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, old_size < size ? old_size : size);
  release(block, caller);
  return moved;
}

bool is_power_of_two(std::size_t value) { return value != 0 && (value & (value - 1)) == 0; }

void* allocate_aligned(std::size_t alignment, std::size_t size, void* caller) {
  if (!is_power_of_two(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return allocate(size, alignment < smallest_alignment ? smallest_alignment : alignment, caller);
}

}  // namespace
}  // namespace ricercar::inline hooks

RICERCAR_EXPORT void* malloc(size_t size) noexcept {
  return ricercar::allocate(size, ricercar::smallest_alignment, CALLER);
}

RICERCAR_EXPORT void free(void* block) noexcept { ricercar::release(block, CALLER); }

RICERCAR_EXPORT void cfree(void* block) noexcept { ricercar::release(block, CALLER); }

RICERCAR_EXPORT void* calloc(size_t count, size_t size) noexcept {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return ricercar::allocate_zeroed(total, CALLER);
}

RICERCAR_EXPORT void* realloc(void* block, size_t size) noexcept {
  return ricercar::reallocate(block, size, CALLER);
}

RICERCAR_EXPORT void* reallocarray(void* block, size_t count, size_t size) noexcept {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return ricercar::reallocate(block, total, CALLER);
}

RICERCAR_EXPORT void* memalign(size_t alignment, size_t size) noexcept {
  return ricercar::allocate_aligned(alignment, size, CALLER);
}

RICERCAR_EXPORT void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return ricercar::allocate_aligned(alignment, size, CALLER);
}

RICERCAR_EXPORT int posix_memalign(void** result, size_t alignment, size_t size) noexcept {
  if (!ricercar::is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int saved = errno;
  void* block = ricercar::allocate_aligned(alignment, size, CALLER);
  errno = saved;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

RICERCAR_EXPORT void* valloc(size_t size) noexcept {
  return ricercar::allocate_aligned(ricercar::page, size, CALLER);
}

RICERCAR_EXPORT void* pvalloc(size_t size) noexcept {
  const size_t whole = (size + ricercar::page - 1) & ~(ricercar::page - 1);
  return ricercar::allocate_aligned(ricercar::page, whole, CALLER);
}

RICERCAR_EXPORT size_t malloc_usable_size(void* block) noexcept {
  return block ? ricercar::usable_size(block) : 0;
}
