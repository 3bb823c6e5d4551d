// Memory that will be written from its beginning on, a lot of it: the kernel is asked for large
// pages, of which it has to make fewer. It may say no.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "base/system_call.h"

namespace ricercar::inline base {

inline void use_large_pages(void* start, std::size_t size) {
  constexpr std::uintptr_t page = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t last = (address + size) / page * page;
  if (first < last) advise_memory(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace ricercar::inline base
