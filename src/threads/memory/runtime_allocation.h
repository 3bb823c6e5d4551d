// Memory for calls of malloc that serve the runtime and not the program: libc allocates when a real
// thread is created or a symbol is looked up, and such memory has to survive the restart of the
// program. While a RuntimeAllocation lives, malloc serves from a region of its own; free() tells by
// the address.
//
// Thread-safe: real threads of the runtime may allocate at any time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar {

extern bool runtime_allocating;

class RuntimeAllocation {
 public:
  RuntimeAllocation() : outer_(runtime_allocating) { set(true); }
  ~RuntimeAllocation() { set(outer_); }
  RuntimeAllocation(const RuntimeAllocation&) = delete;
  RuntimeAllocation& operator=(const RuntimeAllocation&) = delete;

 private:
  // Compilers think that malloc() reads no variables of ours.
  static void set(bool value) {
    asm volatile("" ::: "memory");
    runtime_allocating = value;
    asm volatile("" ::: "memory");
  }

  bool outer_;
};

inline constexpr std::uint64_t runtime_region_start = 0x180000000000;
inline constexpr std::uint64_t runtime_region_size = std::uint64_t{4} << 30;

inline bool is_runtime_block(const void* block) {
  return reinterpret_cast<std::uint64_t>(block) - runtime_region_start < runtime_region_size;
}

void* runtime_allocate(std::size_t size, std::size_t alignment);
void runtime_release(void* block);
std::size_t runtime_block_size(const void* block);

}  // namespace ricercar
