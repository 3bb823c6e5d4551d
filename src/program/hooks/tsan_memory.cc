// The sanitizer's interface for plain memory, calls and virtual tables. Compilers emit calls to
// these under -fsanitize=thread.
#include <cstring>

#include "threads/calls.h"
#include "threads/entry.h"
#include "threads/memory_access.h"
#include "threads/named.h"

namespace ricercar::inline hooks {
namespace {

[[gnu::always_inline]] inline void hook(const void* address, std::uint32_t size, bool is_write,
                                        std::uint64_t site) {
  if (!controlled()) return;
  quick_access(reinterpret_cast<std::uint64_t>(address), size, is_write, site);
}

}  // namespace
}  // namespace ricercar::inline hooks

using ricercar::hook;

#define RICERCAR_READ(name, size)                                \
  RICERCAR_ENTRY(name);                                          \
  RICERCAR_BODY void ricercar_body_##name(const void* address) { \
    hook(address, size, false, RICERCAR_SITE());                 \
  }
#define RICERCAR_WRITE(name, size) \
  RICERCAR_HOOK void name(void* address) { hook(address, size, true, RICERCAR_SITE()); }
// A write races with everything that a read races with.
#define RICERCAR_READ_WRITE(name, size) RICERCAR_WRITE(name, size)

RICERCAR_READ(__tsan_read1, 1)
RICERCAR_READ(__tsan_read2, 2)
RICERCAR_READ(__tsan_read4, 4)
RICERCAR_READ(__tsan_read8, 8)
RICERCAR_READ(__tsan_read16, 16)
RICERCAR_READ(__tsan_unaligned_read2, 2)
RICERCAR_READ(__tsan_unaligned_read4, 4)
RICERCAR_READ(__tsan_unaligned_read8, 8)
RICERCAR_READ(__tsan_unaligned_read16, 16)
RICERCAR_READ(__tsan_volatile_read1, 1)
RICERCAR_READ(__tsan_volatile_read2, 2)
RICERCAR_READ(__tsan_volatile_read4, 4)
RICERCAR_READ(__tsan_volatile_read8, 8)
RICERCAR_READ(__tsan_volatile_read16, 16)
RICERCAR_WRITE(__tsan_write1, 1)
RICERCAR_WRITE(__tsan_write2, 2)
RICERCAR_WRITE(__tsan_write4, 4)
RICERCAR_WRITE(__tsan_write8, 8)
RICERCAR_WRITE(__tsan_write16, 16)
RICERCAR_WRITE(__tsan_unaligned_write2, 2)
RICERCAR_WRITE(__tsan_unaligned_write4, 4)
RICERCAR_WRITE(__tsan_unaligned_write8, 8)
RICERCAR_WRITE(__tsan_unaligned_write16, 16)
RICERCAR_WRITE(__tsan_volatile_write1, 1)
RICERCAR_WRITE(__tsan_volatile_write2, 2)
RICERCAR_WRITE(__tsan_volatile_write4, 4)
RICERCAR_WRITE(__tsan_volatile_write8, 8)
RICERCAR_WRITE(__tsan_volatile_write16, 16)
RICERCAR_READ_WRITE(__tsan_read_write1, 1)
RICERCAR_READ_WRITE(__tsan_read_write2, 2)
RICERCAR_READ_WRITE(__tsan_read_write4, 4)
RICERCAR_READ_WRITE(__tsan_read_write8, 8)
RICERCAR_READ_WRITE(__tsan_read_write16, 16)
RICERCAR_READ_WRITE(__tsan_unaligned_read_write2, 2)
RICERCAR_READ_WRITE(__tsan_unaligned_read_write4, 4)
RICERCAR_READ_WRITE(__tsan_unaligned_read_write8, 8)
RICERCAR_READ_WRITE(__tsan_unaligned_read_write16, 16)
RICERCAR_READ(__tsan_vptr_read, 8)

// Writing the pointer to the same virtual table again, as destructors of base classes do, changes
// nothing and races with nothing. What is there before a constructor runs is left over from
// something else, maybe from another execution, so it must not decide whether there is a point.
RICERCAR_HOOK void __tsan_vptr_update(void** address, void* value) {
  if (!ricercar::controlled()) return;
  const auto where = reinterpret_cast<std::uint64_t>(address);
  ricercar::access_point(ricercar::is_access_point(where, sizeof(void*), true), where,
                         sizeof(void*), true, RICERCAR_SITE());
  if (*address == value) {
    ricercar::note_write();
  } else {
    ricercar::note_access(where, sizeof(void*), true, RICERCAR_SITE());
  }
}

RICERCAR_ENTRY(__tsan_read_range);
RICERCAR_BODY void ricercar_body___tsan_read_range(void* address, unsigned long size) {
  if (size != 0) hook(address, static_cast<std::uint32_t>(size), false, RICERCAR_SITE());
}
RICERCAR_HOOK void __tsan_write_range(void* address, unsigned long size) {
  if (size != 0) hook(address, static_cast<std::uint32_t>(size), true, RICERCAR_SITE());
}

RICERCAR_HOOK void* __tsan_memcpy(void* to, const void* from, unsigned long size) {
  if (size != 0) {
    hook(from, static_cast<std::uint32_t>(size), false, RICERCAR_SITE());
    hook(to, static_cast<std::uint32_t>(size), true, RICERCAR_SITE());
  }
  return std::memcpy(to, from, size);
}
RICERCAR_HOOK void* __tsan_memmove(void* to, const void* from, unsigned long size) {
  if (size != 0) {
    hook(from, static_cast<std::uint32_t>(size), false, RICERCAR_SITE());
    hook(to, static_cast<std::uint32_t>(size), true, RICERCAR_SITE());
  }
  return std::memmove(to, from, size);
}
RICERCAR_HOOK void* __tsan_memset(void* to, int value, unsigned long size) {
  if (size != 0) hook(to, static_cast<std::uint32_t>(size), true, RICERCAR_SITE());
  return std::memset(to, value, size);
}

RICERCAR_HOOK void __tsan_init() {}
RICERCAR_HOOK void __tsan_func_entry(void* caller) {
  if (__builtin_expect(!ricercar::program_state.call_listeners.are_there(), 1)) return;
  ricercar::enter_call(ricercar::callers_frame(), reinterpret_cast<std::uint64_t>(caller));
}
RICERCAR_HOOK void __tsan_func_exit() {
  if (__builtin_expect(!ricercar::program_state.call_listeners.are_there(), 1)) return;
  ricercar::leave_call(ricercar::callers_frame().stack);
}
