// System calls made directly. The runtime interposes `syscall`, `mmap`, `close` and many others for
// the program under test; its own calls must neither come back to those hooks nor touch `errno`.
#pragma once

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace ricercar::inline base {

// The result as the kernel gives it: a negative error number instead of `errno`.
inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                        long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

inline long as_argument(const void* pointer) { return reinterpret_cast<long>(pointer); }

// nullptr when it fails.
inline char* map_memory(void* address, std::size_t size, int protection, int flags, int file = -1,
                        std::size_t offset = 0) {
  const long result = system_call(SYS_mmap, as_argument(address), static_cast<long>(size),
                                  protection, flags, file, static_cast<long>(offset));
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<char*>(result);
}

inline bool protect_memory(void* address, std::size_t size, int protection) {
  return system_call(SYS_mprotect, as_argument(address), static_cast<long>(size), protection) == 0;
}

inline bool advise_memory(void* address, std::size_t size, int advice) {
  return system_call(SYS_madvise, as_argument(address), static_cast<long>(size), advice) == 0;
}

}  // namespace ricercar::inline base
