// The C library's own function behind a hook, by its name and type: for functions that its headers
// declare in more than one way, or not at all.
#pragma once

#include <dlfcn.h>

#include "threads/memory/runtime_allocation.h"

// An expression: the next definition of the function after ours.
#define RICERCAR_BEHIND_AS(type, name)                                                   \
  ([] {                                                                                  \
    static type real_function = nullptr;                                                 \
    if (__builtin_expect(real_function == nullptr, 0)) {                                 \
      const ricercar::RuntimeAllocation allocation;                                      \
      real_function = reinterpret_cast<decltype(real_function)>(dlsym(RTLD_NEXT, name)); \
    }                                                                                    \
    return real_function;                                                                \
  }())
