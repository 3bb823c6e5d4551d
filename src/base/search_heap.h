// The heap of the search itself: strategies, traces, schedules, reports. It lives at a fixed
// address in the mapping described in search/control.h, or in private memory when there is no
// supervisor, and is never the heap of the program under test. Inside the runtime library every
// `new` comes from here.
//
// There are two of them. The *shared* heap outlives a worker process that the program has crashed;
// what the strategies keep is there. The *local* heap dies with the process: traces, shadow memory,
// tables of the running execution. `new` takes from the local one, inside of a SharedAllocation
// from the shared one.
//
// Not thread-safe: the search runs in one kernel thread. Freed blocks are kept in lists by size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline base {

struct SearchHeap;

// Makes [start, start + size) the shared heap. The bookkeeping is in the first bytes of that range,
// so that a second process that maps it goes on where the first one stopped (`fresh` = false).
void search_heap_attach(void* start, std::size_t size, bool fresh);

void* search_allocate(std::size_t size);
void search_release(void* block) noexcept;
std::size_t search_block_size(const void* block);
// Whether somebody is inside of a SharedAllocation, maybe in another process. A process that died
// there may have left the strategy half changed.
bool search_heap_is_busy();
// Zeroed memory at the end of the shared heap, for good. Null: there is no shared heap, or too
// little is left of it.
void* search_reserve(std::size_t size);

// An array of plain data, never freed one by one.
template <typename T>
T* search_allocate_array(std::size_t count) {
  return static_cast<T*>(search_allocate(count * sizeof(T)));
}

namespace heap_detail {
extern SearchHeap* shared_heap;  // null: there is none
extern SearchHeap* current_heap;
extern std::uint64_t*
    shared_heap_users;  // in the shared heap: how many SharedAllocations there are
}  // namespace heap_detail

class SharedAllocation {
 public:
  // In the header because there is one at every decision.
  SharedAllocation() : before_(heap_detail::current_heap) {
    if (heap_detail::shared_heap == nullptr) return;
    ++*heap_detail::shared_heap_users;
    heap_detail::current_heap = heap_detail::shared_heap;
  }
  ~SharedAllocation() {
    if (heap_detail::shared_heap != nullptr) --*heap_detail::shared_heap_users;
    heap_detail::current_heap = before_;
  }
  SharedAllocation(const SharedAllocation&) = delete;
  SharedAllocation& operator=(const SharedAllocation&) = delete;

 private:
  SearchHeap* before_;
};

}  // namespace ricercar::inline base
