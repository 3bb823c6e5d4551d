// Memory for calls of malloc that serve the runtime and not the program: libc allocates when a real
// thread is created or a symbol is looked up, and such memory has to survive the restart of the
// program. While a RuntimeAllocation lives, malloc serves from a region of its own; free() tells by
// the address.
//
// Thread-safe: real threads of the runtime may allocate at any time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

// Why malloc has to look twice; one word, because every call looks at it.
inline constexpr unsigned runtime_allocates = 1;
// The loader has been called in an execution. Its own data is not put back by a restart, so what it
// points to must not be either: from then on what the loader itself allocates, and only that, comes
// from here too.
inline constexpr unsigned loader_allocates = 2;
extern unsigned special_allocations;

// Whether what is allocated now, by code at this place, has to survive a restart of the program.
bool survives_restart(const void* caller);
inline bool is_for_runtime(const void* caller) {
  return __builtin_expect(special_allocations != 0, 0) && survives_restart(caller);
}

class RuntimeAllocation {
 public:
  RuntimeAllocation() : outer_(special_allocations) { set(outer_ | runtime_allocates); }
  ~RuntimeAllocation() {
    set((special_allocations & ~runtime_allocates) | (outer_ & runtime_allocates));
  }
  RuntimeAllocation(const RuntimeAllocation&) = delete;
  RuntimeAllocation& operator=(const RuntimeAllocation&) = delete;

 private:
  // Compilers think that malloc() reads no variables of ours.
  static void set(unsigned value) {
    asm volatile("" ::: "memory");
    special_allocations = value;
    asm volatile("" ::: "memory");
  }

  unsigned outer_;
};

inline constexpr std::uint64_t runtime_region_start = 0x180000000000;
inline constexpr std::uint64_t runtime_region_size = std::uint64_t{4} << 30;

inline bool is_runtime_block(const void* block) {
  return reinterpret_cast<std::uint64_t>(block) - runtime_region_start < runtime_region_size;
}

void* runtime_allocate(std::size_t size, std::size_t alignment);
void runtime_release(void* block);
std::size_t runtime_block_size(const void* block);

}  // namespace ricercar::inline threads
