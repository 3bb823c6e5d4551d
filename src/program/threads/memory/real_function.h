// The C library's own function behind a hook of the same name. Looked up at the first call, because
// hooks are called before any constructor of ours has run.
#pragma once

#include <dlfcn.h>

#include "threads/memory/runtime_allocation.h"

#define RICERCAR_EXPORT extern "C" __attribute__((visibility("default")))

// An expression: the next definition of `name` after ours.
#define RICERCAR_BEHIND(name)                                             \
  ([] {                                                                   \
    static decltype(&::name) found = nullptr;                             \
    if (__builtin_expect(found == nullptr, 0)) {                          \
      const ricercar::RuntimeAllocation allocation;                       \
      found = reinterpret_cast<decltype(found)>(dlsym(RTLD_NEXT, #name)); \
    }                                                                     \
    return found;                                                         \
  }())
