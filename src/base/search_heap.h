// The heap of the search itself: strategies, traces, schedules, reports. It lives at a fixed
// address in the mapping described in search/control.h, or in private memory when there is no
// supervisor, and is never the heap of the program under test. Inside the runtime library every
// `new` comes from here.
//
// Not thread-safe: the search runs in one kernel thread. Freed blocks are kept in lists by size.
#pragma once

#include <cstddef>

namespace ricercar {

// Uses [start, start + size) from now on. The bookkeeping is in the first bytes of that range, so
// that a second process that maps it goes on where the first one stopped (`fresh` = false).
void search_heap_attach(void* start, std::size_t size, bool fresh);

void* search_allocate(std::size_t size);
void search_release(void* block) noexcept;
std::size_t search_heap_used();

// An array of plain data in the heap, never freed one by one.
template <typename T>
T* search_allocate_array(std::size_t count) {
  return static_cast<T*>(search_allocate(count * sizeof(T)));
}

}  // namespace ricercar
