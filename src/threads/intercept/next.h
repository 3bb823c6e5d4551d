// The C library's function behind a hook, looked up at its first use. For hooks whose function is
// not in the list of threads/real.h because no controlled task needs it in a hurry.
#pragma once

#include "threads/memory/runtime_allocation.h"
#include "threads/real.h"

namespace ricercar {

// The dynamic linker may allocate while it looks a name up; the program's heap must not show it.
inline void* find_next_definition(const char* name) {
  RuntimeAllocation allocation;
  return next_definition(name);
}

}  // namespace ricercar

#define RICERCAR_NEXT(name)                                                             \
  ([] {                                                                                 \
    static decltype(&::name) found = nullptr;                                           \
    if (__builtin_expect(found == nullptr, 0)) {                                        \
      found = reinterpret_cast<decltype(found)>(ricercar::find_next_definition(#name)); \
    }                                                                                   \
    return found;                                                                       \
  }())
