// Hooks: memory that the program maps, unmaps or protects itself.
#include "threads/memory/mappings.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_call.h"
#include "disk/watch.h"
#include "threads/memory/aliases.h"
#include "threads/memory/early_mappings.h"
#include "threads/memory/external_state.h"
#include "threads/memory/heap.h"
#include "threads/memory/heap_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/real_function.h"

using namespace ricercar;

namespace {

using Map = void* (*)(void*, std::size_t, int, int, int, off_t);

bool changes_a_file(int protection, int flags) {
  return (flags & MAP_SHARED) && !(flags & MAP_ANONYMOUS) && (protection & PROT_WRITE);
}

void* map_in_execution(Map map, void* start, std::size_t size, int protection, int flags, int file,
                       off_t offset) {
  if (changes_a_file(protection, flags)) {
    must_be_alone_at(file);
    ChangingAll(file, true).mapped();
    needs_fork("maps a file for shared writing");
  }
  const bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
  if (start == nullptr && !fixed && !(flags & MAP_32BIT)) {
    if (void* place = place_for_mapping(size)) {
      return map(place, size, protection, flags | MAP_FIXED_NOREPLACE, file, offset);
    }
  }
  if ((flags & MAP_FIXED) && !is_own_mapping(start, size)) {
    needs_fork("maps memory at a fixed address");
  }
  void* result = map(start, size, protection, flags, file, offset);
  if (result != MAP_FAILED && !is_own_mapping(result, size)) note_mapping(result, size);
  return result;
}

void* map_before_main(Map map, void* start, std::size_t size, int protection, int flags, int file,
                      off_t offset) {
  void* result = map(start, size, protection, flags, file, offset);
  if (result != MAP_FAILED) note_early_mapping(result, size);
  return result;
}

void* moved_before_main(void* result, void* old, std::size_t old_size, std::size_t size) {
  if (result == MAP_FAILED) return result;
  forget_early_mapping(old, old_size);
  note_early_mapping(result, size);
  return result;
}

void note_gone(void* start, std::size_t size) {
  mapping_gone(start, size);
  memory_unmapped(start, size);
}

// A file that has a name can be opened by others.
bool others_may_reach(int file) {
  struct stat status = {};
  return system_call(SYS_fstat, file, as_argument(&status)) == 0 && status.st_nlink > 0;
}

void note_other_processes(int protection, int flags, int file) {
  if (!tracking || !changes_a_file(protection, flags) || !others_may_reach(file)) return;
  not_modelled(
      "maps a file for shared writing: what another process does to it is not part of the search");
}

void note_shared(void* start, std::size_t size, int flags, int file, off_t offset) {
  if ((flags & MAP_FIXED) != 0) note_gone(start, size);
  if ((flags & MAP_SHARED) == 0 || (flags & MAP_ANONYMOUS) != 0) return;
  shared_mapping_made(start, size, file, static_cast<std::uint64_t>(offset));
}

bool drops_contents(int advice) {
  return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE;
}

}  // namespace

#define RICERCAR_MAP_HOOK(name, offset_type)                                                \
  RICERCAR_EXPORT void* name(void* start, size_t size, int protection, int flags, int file, \
                             offset_type offset) noexcept {                                 \
    const Map map = RICERCAR_BEHIND(name);                                                  \
    const auto make = tracking ? map_in_execution : map_before_main;                        \
    void* result = make(map, start, size, protection, flags, file, offset);                 \
    if (result != MAP_FAILED) {                                                             \
      note_shared(result, size, flags, file, offset);                                       \
      note_other_processes(protection, flags, file);                                        \
    }                                                                                       \
    return result;                                                                          \
  }

RICERCAR_MAP_HOOK(mmap, off_t)
RICERCAR_MAP_HOOK(mmap64, off64_t)

RICERCAR_EXPORT int munmap(void* start, size_t size) noexcept {
  if (tracking && !is_own_mapping(start, size)) {
    needs_fork("unmaps memory that it did not map in the same execution");
  }
  if (!tracking) forget_early_mapping(start, size);
  note_gone(start, size);
  return RICERCAR_BEHIND(munmap)(start, size);
}

RICERCAR_EXPORT int mprotect(void* start, size_t size, int protection) noexcept {
  if (tracking && !is_own_mapping(start, size)) {
    if (heap_contains(reinterpret_cast<std::uint64_t>(start))) {
      note_protection(start, size);
    } else {
      needs_fork("changes the protection of its own data");
    }
  }
  return RICERCAR_BEHIND(mprotect)(start, size, protection);
}

RICERCAR_EXPORT void* mremap(void* old, size_t old_size, size_t size, int flags, ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  void* wanted = va_arg(rest, void*);
  va_end(rest);
  if (old_size == 0) {
    not_modelled("maps memory a second time with mremap(): memory at two addresses counts as two");
  }
  if (!tracking) {
    return moved_before_main(RICERCAR_BEHIND(mremap)(old, old_size, size, flags, wanted), old,
                             old_size, size);
  }
  if (!is_own_mapping(old, old_size)) needs_fork("moves memory that it did not map itself");
  if ((flags & MREMAP_MAYMOVE) && !(flags & MREMAP_FIXED) && size > old_size) {
    if (void* place = place_for_mapping(size)) {
      return RICERCAR_BEHIND(mremap)(old, old_size, size, flags | MREMAP_FIXED, place);
    }
  }
  void* result = RICERCAR_BEHIND(mremap)(old, old_size, size, flags, wanted);
  if (result != MAP_FAILED && !is_own_mapping(result, size)) note_mapping(result, size);
  return result;
}

RICERCAR_EXPORT int madvise(void* start, size_t size, int advice) noexcept {
  if (tracking && drops_contents(advice) && !is_own_mapping(start, size)) {
    needs_fork("drops the contents of memory that it did not map itself");
  }
  return RICERCAR_BEHIND(madvise)(start, size, advice);
}

// Before main the break is part of what a restart puts back; in an execution the execution's own.
RICERCAR_EXPORT int brk(void* end) noexcept {
  if (tracking) {
    note_break(end);
  } else {
    note_early_break();
  }
  return RICERCAR_BEHIND(brk)(end);
}

RICERCAR_EXPORT void* sbrk(intptr_t step) noexcept {
  if (step == 0) return RICERCAR_BEHIND(sbrk)(step);
  if (tracking) {
    note_break(static_cast<char*>(RICERCAR_BEHIND(sbrk)(0)) + step);
  } else {
    note_early_break();
  }
  return RICERCAR_BEHIND(sbrk)(step);
}

RICERCAR_EXPORT void* shmat(int id, const void* address, int flags) noexcept {
  if (tracking) {
    must_be_alone();
    needs_fork("attaches shared memory");
  }
  void* result = RICERCAR_BEHIND(shmat)(id, address, flags);
  if (result != MAP_FAILED) shared_segment_attached(result, id);
  return result;
}

RICERCAR_EXPORT int mlock(const void* start, size_t size) noexcept {
  if (tracking) needs_fork("locks memory");
  return RICERCAR_BEHIND(mlock)(start, size);
}

RICERCAR_EXPORT int mlockall(int flags) noexcept {
  if (tracking) needs_fork("locks memory");
  return RICERCAR_BEHIND(mlockall)(flags);
}
