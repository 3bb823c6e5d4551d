// One area of the heap: bump allocation in granules, lists of freed blocks by size class, and a
// quarantine (first in, first out) that a freed block passes through before it may be used again.
//
// Blocks belong to the base (allocated before the executions) or to the running execution. The
// execution allocates from `base_` upwards; where old garbage was found between live blocks of the
// base, it allocates from that hole first. Between two blocks one granule stays unused, so that an
// access just behind a block is seen.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "base/system_call.h"
#include "threads/memory/heap.h"
#include "threads/memory/heap_granules.h"

namespace ricercar::inline threads {

struct HeapAreaOptions {
  std::uint64_t start, size, shadow, notes;
  unsigned shift;                  // a granule has 2^shift bytes
  std::uint64_t quarantine_bytes;  // freed later than a block before the block is used again
  std::uint64_t kept_bytes;        // an execution's memory that is not given back at its end
};

template <HeapAreaOptions options, typename Note>
class HeapArea {
 public:
  using Index = std::uint32_t;  // of a granule; 0 is never a block

  void map() {
    map_at(options.start, options.size);
    map_at(options.shadow, options.size >> shift);
    map_at(options.notes, (options.size >> shift) * sizeof(Note));
    base_ = top_ = bump_ = 1;
    limit_ = static_cast<Index>((options.size >> shift) - 1);
  }

  // nullptr: there is no room.
  char* allocate(std::uint64_t size, std::uint64_t alignment) {
    const std::uint64_t granules = granules_of(size);
    Index first = take_freed(granules, alignment);
    if (first == 0) first = take_fresh(granules, alignment);
    if (first == 0) return nullptr;
    mark(first, granules, shadow_live);
    note(first).size = static_cast<decltype(Note::size)>(size);
    ++live_;
    return address(first);
  }

  // Calls freed(block, size) for the block, and forget(block, size) for blocks that leave the
  // quarantine.
  template <typename Freed, typename Forget>
  Release release(std::uint64_t block, Freed freed, Forget forget) {
    const std::uint64_t offset = block - options.start;
    if (offset & ((std::uint64_t{1} << shift) - 1)) return Release::not_a_block;
    const auto first = static_cast<Index>(offset >> shift);
    const std::uint8_t state = shadow(first);
    if (state == (shadow_begin | shadow_freed)) return Release::double_free;
    if (state != (shadow_begin | shadow_live)) return Release::not_a_block;
    const std::uint64_t size = note(first).size;
    mark(first, granules_of(size), shadow_freed);
    freed(address(first), size);
    if (!in_execution(first)) {
      note(first).next = base_freed_;
      base_freed_ = first;
      return Release::done;
    }
    --live_;
    quarantine(first, SizeClass::span(granules_of(size)) << shift, forget);
    return Release::done;
  }

  // The size of the live block that begins here; -1 if there is none.
  std::int64_t size_of(std::uint64_t block) const {
    const std::uint64_t offset = block - options.start;
    if (offset & ((std::uint64_t{1} << shift) - 1)) return -1;
    const auto first = static_cast<Index>(offset >> shift);
    if (shadow(first) != (shadow_begin | shadow_live)) return -1;
    return static_cast<std::int64_t>(note(first).size);
  }

  HeapBlock block_of(std::uint64_t place) const {
    auto first = static_cast<Index>((place - options.start) >> shift);
    if (shadow(first) == 0) return {0, 0, false};
    while (!(shadow(first) & shadow_begin)) --first;
    return {reinterpret_cast<std::uint64_t>(address(first)), note(first).size,
            (shadow(first) & 3) == shadow_live};
  }

  HeapBlock next_block(std::uint64_t from) const {
    auto first = static_cast<Index>((from - options.start) >> shift);
    const auto end = static_cast<Index>(1 + (used().size >> shift));
    while (first < end && !(shadow(first) & shadow_begin)) ++first;
    return first < end ? block_of(options.start + (std::uint64_t{first} << shift)) : HeapBlock{};
  }

  bool execution_has_live_blocks() const { return live_ != 0; }

  void finish_page() {
    constexpr Index granules = 4096 >> shift;
    const Index next = (bump_ + granules - 1) & ~(granules - 1);
    if (next < limit_) bump_ = next;
  }

  void freeze_base() {
    forget_lists();
    base_freed_ = 0;
    live_ = 0;
    if (overflowed_ || base_ == top_) {
      base_ = top_ = bump_;
      limit_ = last();
    } else {
      base_ = bump_;
    }
    overflowed_ = false;
  }

  // Looks for a hole in the base once so much was allocated that a look pays.
  void reuse_garbage(std::uint64_t worth_bytes) {
    const auto worth = static_cast<Index>(worth_bytes >> shift);
    if (base_ != top_ || top_ - searched_ < worth) return;
    searched_ = top_;
    const Hole hole = largest_hole();
    if (hole.end - hole.begin < worth / 2) return;
    clear(hole.begin, hole.end, 0);
    base_ = bump_ = hole.begin;
    limit_ = hole.end;
    searched_ = 0;
  }

  // All blocks of the execution are forgotten.
  void rewind() {
    if (overflowed_) {
      clear(base_, hole_end_, options.kept_bytes);
      clear(top_, bump_, options.kept_bytes);
      limit_ = hole_end_;
      overflowed_ = false;
    } else {
      clear(base_, bump_, options.kept_bytes);
    }
    bump_ = base_;
    live_ = 0;
    forget_lists();
  }

  void undo_base_releases() {
    while (base_freed_ != 0) {
      const Index first = base_freed_;
      base_freed_ = static_cast<Index>(note(first).next);
      mark(first, granules_of(note(first).size), shadow_live);
    }
  }

  void accept_base_releases() { base_freed_ = 0; }

  // Where the execution's blocks begin.
  std::uint64_t start() const { return reinterpret_cast<std::uint64_t>(address(base_)); }

  HeapRange used() const {
    const Index end = base_ == top_ || overflowed_ ? bump_ : top_;
    return {address(1), static_cast<std::size_t>(end - 1) << shift};
  }

 private:
  static constexpr unsigned shift = options.shift;

  struct Hole {
    Index begin, end;
  };

  static std::uint64_t granules_of(std::uint64_t size) {
    const std::uint64_t granules = (size + (std::uint64_t{1} << shift) - 1) >> shift;
    return granules + (granules == 0);
  }

  static void map_at(std::uint64_t start, std::uint64_t size) {
    auto* wanted = reinterpret_cast<void*>(start);
    const char* got = map_memory(wanted, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE);
    RICERCAR_CHECK(got == wanted);
    advise_memory(wanted, size, MADV_NOHUGEPAGE);
  }

  char* address(Index first) const {
    return reinterpret_cast<char*>(options.start + (std::uint64_t{first} << shift));
  }
  std::uint8_t& shadow(Index first) const {
    return reinterpret_cast<std::uint8_t*>(options.shadow)[first];
  }
  Note& note(Index first) const { return reinterpret_cast<Note*>(options.notes)[first]; }
  Index last() const { return static_cast<Index>((options.size >> shift) - 1); }

  bool in_execution(Index first) const {
    return first >= top_ || (first >= base_ && first < (overflowed_ ? hole_end_ : limit_));
  }

  // Stores only, and each byte once or twice: a load that overlaps a store of just now is slow.
  void mark(Index first, std::uint64_t granules, std::uint8_t state) {
    std::uint8_t* bytes = &shadow(first);
    const std::uint64_t word = 0x0101010101010101 * state;
    if (granules > 16) {
      std::memset(bytes, state, granules);
    } else if (granules >= 8) {
      std::memcpy(bytes + granules - 8, &word, 8);
      std::memcpy(bytes, &word, 8);
    } else if (granules >= 4) {
      std::memcpy(bytes + granules - 4, &word, 4);
      std::memcpy(bytes, &word, 4);
    } else {
      if (granules == 3) bytes[2] = state;
      if (granules >= 2) bytes[1] = state;
    }
    bytes[0] = state | shadow_begin;
  }

  Index take_freed(std::uint64_t granules, std::uint64_t alignment) {
    if (!reusing_) return 0;
    const std::uint32_t size_class = SizeClass::of(granules);
    const Index first = free_[size_class];
    if (first == 0 || (reinterpret_cast<std::uint64_t>(address(first)) & (alignment - 1))) return 0;
    free_[size_class] = static_cast<Index>(note(first).next);
    // The last block here may have been larger, in the classes that hold several sizes.
    if (granules > 64) std::memset(&shadow(first), 0, SizeClass::span(granules));
    return first;
  }

  Index take_fresh(std::uint64_t granules, std::uint64_t alignment) {
    const std::uint64_t span = SizeClass::span(granules);
    for (;;) {
      const std::uint64_t step = alignment >> shift;
      const std::uint64_t first = step > 1 ? (bump_ + step - 1) & ~(step - 1) : bump_;
      if (first + span < limit_) {
        bump_ = static_cast<Index>(first + span + 1);
        return static_cast<Index>(first);
      }
      if (overflowed_ || base_ == top_) return 0;
      overflowed_ = true;  // the hole is full
      hole_end_ = limit_;
      bump_ = top_;
      limit_ = last();
    }
  }

  template <typename Forget>
  void quarantine(Index first, std::uint64_t bytes, Forget forget) {
    note(first).next = 0;
    if (newest_ != 0) {
      note(newest_).next = first;
    } else {
      oldest_ = first;
    }
    newest_ = first;
    quarantined_ += bytes;
    while (quarantined_ > options.quarantine_bytes && oldest_ != newest_) leave_quarantine(forget);
  }

  template <typename Forget>
  void leave_quarantine(Forget forget) {
    const Index first = oldest_;
    oldest_ = static_cast<Index>(note(first).next);
    const std::uint64_t granules = granules_of(note(first).size);
    quarantined_ -= SizeClass::span(granules) << shift;
    forget(address(first), SizeClass::span(granules) << shift);
    const std::uint32_t size_class = SizeClass::of(granules);
    note(first).next = free_[size_class];
    free_[size_class] = first;
    reusing_ = true;
  }

  void forget_lists() {
    oldest_ = newest_ = 0;
    quarantined_ = 0;
    if (!reusing_) return;
    std::memset(free_, 0, sizeof free_);
    reusing_ = false;
  }

  // Granules [begin, end) become unused. Memory beyond `kept_bytes` is given back to the system.
  void clear(Index begin, Index end, std::uint64_t kept_bytes) {
    const std::uint64_t used = std::uint64_t{end - begin} << shift;
    if (used <= kept_bytes) {
      zero_bytes(&shadow(begin), &shadow(end));
      return;
    }
    const Index kept = begin + static_cast<Index>(kept_bytes >> shift);
    std::memset(&shadow(begin), 0, kept - begin);
    drop_pages(address(kept), address(end));
    drop_bytes(&shadow(kept), &shadow(end));
    drop_pages(reinterpret_cast<char*>(&note(kept)), reinterpret_cast<char*>(&note(end)));
  }

  Hole largest_hole() const {
    Hole best{0, 0};
    Index begin = 1;
    for (Index i = 1; i <= top_; ++i) {
      if (i < top_ && (shadow(i) & 3) != shadow_live) continue;
      if (i - begin > best.end - best.begin) best = {begin, i};
      begin = i + 1;
    }
    // One granule stays unused on either side.
    if (best.end - best.begin < 2) return {0, 0};
    return {best.begin + 1, best.end - 1};
  }

  Index base_ = 0;      // the execution allocates from here on ...
  Index bump_ = 0;      // ... has come to here ...
  Index limit_ = 0;     // ... and must stay below this
  Index top_ = 0;       // the end of the base; above `base_` if the execution began in a hole
  Index hole_end_ = 0;  // once the execution has left the hole (`overflowed_`)
  Index searched_ = 0;  // where `top_` was when a hole was last looked for
  Index oldest_ = 0;    // the quarantine, linked through the notes
  Index newest_ = 0;
  Index base_freed_ = 0;  // blocks of the base that the execution freed
  bool overflowed_ = false;
  bool reusing_ = false;  // some list of freed blocks may not be empty
  std::uint64_t quarantined_ = 0;
  std::uint64_t live_ = 0;  // blocks of the execution
  Index free_[SizeClass::count] = {};
};

}  // namespace ricercar::inline threads
