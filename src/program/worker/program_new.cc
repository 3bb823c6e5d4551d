// operator new and delete of the program. An allocator that the program is linked with (tcmalloc,
// jemalloc, mimalloc) would put its own in front of those of the C++ library, and the memory that
// it hands from one thread to another would look shared. These come first and take those of the C++
// library, which call malloc: all memory comes from the heap that is under control. A program that
// defines its own, in its own sources, keeps them.
#include <dlfcn.h>

#include <cstddef>
#include <new>

#include "threads/entry.h"
#include "threads/memory/runtime_allocation.h"
#include "threads/real.h"

namespace {

void* of_cxx_library(const char* name) {
  const ricercar::RuntimeAllocation allocation;
  using Open = void* (*)(const char*, int);
  const auto open = reinterpret_cast<Open>(ricercar::next_definition("dlopen"));
  void* library = open("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* found = library != nullptr ? dlsym(library, name) : nullptr;
  return found != nullptr ? found : dlsym(RTLD_NEXT, name);
}

}  // namespace

// The last call is a jump, so that malloc and free see who called.
#define RICERCAR_FORWARD(result, name, parameters, arguments)    \
  RICERCAR_HOOK result name parameters {                         \
    using Function = result(*) parameters;                       \
    static constinit Function found = nullptr;                   \
    if (__builtin_expect(found == nullptr, 0)) {                 \
      found = reinterpret_cast<Function>(of_cxx_library(#name)); \
    }                                                            \
    return found arguments;                                      \
  }

#define RICERCAR_NEW(name)                                                                        \
  RICERCAR_FORWARD(void*, name##m, (std::size_t size), (size))                                    \
  RICERCAR_FORWARD(void*, name##mRKSt9nothrow_t,                                                  \
                   (std::size_t size, const std::nothrow_t& nothrow), (size, nothrow))            \
  RICERCAR_FORWARD(void*, name##mSt11align_val_t, (std::size_t size, std::align_val_t alignment), \
                   (size, alignment))                                                             \
  RICERCAR_FORWARD(void*, name##mSt11align_val_tRKSt9nothrow_t,                                   \
                   (std::size_t size, std::align_val_t alignment, const std::nothrow_t& nothrow), \
                   (size, alignment, nothrow))

#define RICERCAR_DELETE(name)                                                                  \
  RICERCAR_FORWARD(void, name##Pv, (void* block), (block))                                     \
  RICERCAR_FORWARD(void, name##Pvm, (void* block, std::size_t size), (block, size))            \
  RICERCAR_FORWARD(void, name##PvRKSt9nothrow_t, (void* block, const std::nothrow_t& nothrow), \
                   (block, nothrow))                                                           \
  RICERCAR_FORWARD(void, name##PvSt11align_val_t, (void* block, std::align_val_t alignment),   \
                   (block, alignment))                                                         \
  RICERCAR_FORWARD(void, name##PvmSt11align_val_t,                                             \
                   (void* block, std::size_t size, std::align_val_t alignment),                \
                   (block, size, alignment))                                                   \
  RICERCAR_FORWARD(void, name##PvSt11align_val_tRKSt9nothrow_t,                                \
                   (void* block, std::align_val_t alignment, const std::nothrow_t& nothrow),   \
                   (block, alignment, nothrow))

RICERCAR_NEW(_Znw)
RICERCAR_NEW(_Zna)
RICERCAR_DELETE(_Zdl)
RICERCAR_DELETE(_Zda)
