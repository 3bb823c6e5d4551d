// Shadow memory: for each granule (8 aligned bytes) the accesses that a later one may race with.
//
// Recorded accesses are a set, not a fixed pair: two are kept in the cell of the granule, more
// (many readers, odd sizes and offsets) in blocks from a pool. Cells are found through a table of
// groups of pages, with a small cache of pages in front of it, and are stamped with the number of
// the execution, so that a new execution starts with an empty shadow at no cost.
//
// Owns its memory and keeps it from one execution to the next. Not thread-safe.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "detect/pool.h"

namespace ricercar::inline detect {

// An access in one word, so that one comparison tells whether it is covered by a recorded one:
// clock (32 bits) | slot (16) | kind (8) | which bytes of the granule (8). Zero is no access.
//
// The two bits of a kind are ordered: an access with more bits races with all that one with fewer
// bits races with, and two accesses conflict if between them they have both bits.
namespace access_key {

inline constexpr std::uint64_t bytes = 0xff;
inline constexpr std::uint64_t plain = 0x100;
inline constexpr std::uint64_t write = 0x200;
inline constexpr std::uint64_t kind = plain | write;
inline constexpr std::uint64_t epoch = ~std::uint64_t{0xffff};

constexpr std::uint64_t make_epoch(std::uint32_t clock, std::uint32_t slot) {
  return std::uint64_t{clock} << 32 | std::uint64_t{slot} << 16;
}
constexpr std::uint32_t clock_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> 32);
}
constexpr std::uint32_t slot_of(std::uint64_t key) { return (key >> 16) & 0xffff; }
constexpr bool conflict(std::uint64_t a, std::uint64_t b) { return ((a | b) & kind) == kind; }

// `key` is by the same task in the same epoch, and is of all bytes and has all kind bits of
// `wanted`.
constexpr bool covers(std::uint64_t key, std::uint64_t wanted) {
  return (key & (epoch | wanted)) == wanted;
}

// `count` bytes from `offset` on; together at most 8.
constexpr std::uint64_t byte_mask(std::uint32_t offset, std::uint32_t count) {
  return ((std::uint64_t{1} << count) - 1) << offset;
}

}  // namespace access_key

// Where an access is in the program and in the execution, in the caller's terms.
struct AccessPlace {
  std::uint64_t site = 0;
  std::uint64_t event = 0;
};

struct RecordedAccess {
  std::uint64_t key = 0;
  AccessPlace place;
};

struct ShadowOverflow {
  ShadowOverflow* next;
  RecordedAccess accesses[5];
};

struct alignas(64) ShadowCell {
  std::uint64_t keys[2];  // of the accesses in the cell; 0: free
  AccessPlace places[2];
  ShadowOverflow* overflow;  // the first block of further accesses
  std::uint32_t stamp;       // the execution that everything here is of
  std::uint8_t names;        // bit i: byte i is the address of a synchronisation object or atomic
};
static_assert(sizeof(ShadowCell) == 64);

// The cells of a page, and apart from them, close together, the key of each by which an access was
// found to be a repeated one, or the first: most are repeated, and find it there.
struct ShadowBlock {
  static constexpr std::uint32_t cell_count = 512;
  std::uint64_t repeated[cell_count];
  ShadowCell cells[cell_count];
};

struct ShadowPage {
  ShadowBlock* block = nullptr;  // made when the first cell is touched
  std::uint32_t stamp = 0;       // the execution that what follows is of
  bool has_names = false;        // in some cell
  RecordedAccess background;     // an access of all bytes of every cell not touched since; or none
  std::array<std::uint64_t, 8> touched = {};  // bit i: cell i has the current stamp

  bool is_touched(std::uint32_t index) const { return (touched[index / 64] >> (index % 64)) & 1; }

  template <typename Visit>
  void for_each_touched(Visit visit) const {
    for (std::uint32_t word = 0; word < touched.size(); ++word) {
      for (std::uint64_t rest = touched[word]; rest != 0; rest &= rest - 1) {
        visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
  }
};

class ShadowMemory {
 public:
  static constexpr std::uint64_t granule_size = 8;
  static constexpr std::uint64_t page_size = 4096;
  static constexpr std::uint32_t cells_per_page = page_size / granule_size;
  static_assert(cells_per_page == ShadowBlock::cell_count);

  ShadowMemory();

  void begin_execution();
  void wipe();  // all keys of all executions become zero

  // Whether a cell of a page in the cache has a key that covers `wanted`. What is there may be of
  // an earlier execution.
  bool has_covered(std::uint64_t address, std::uint64_t wanted) {
    const CachedPage& cached = cache_[cache_index(address / page_size)];
    if (cached.number != address / page_size) return false;
    const std::uint32_t index = cell_index(address);
    if (access_key::covers(cached.block->repeated[index], wanted)) return true;
    const ShadowCell& cell = cached.block->cells[index];
    const bool is_first = access_key::covers(cell.keys[0], wanted);
    if (!is_first && !access_key::covers(cell.keys[1], wanted)) return false;
    cached.block->repeated[index] = cell.keys[is_first ? 0 : 1];
    return true;
  }

  // Records an access to a cell of a page in the cache, if it is the first one in this execution:
  // there is nothing to compare it with.
  bool record_first(std::uint64_t address, std::uint64_t key, const AccessPlace& place) {
    const CachedPage& cached = cache_[cache_index(address / page_size)];
    if (cached.number != address / page_size) return false;
    const std::uint32_t index = cell_index(address);
    ShadowCell& cell = cached.block->cells[index];
    ShadowPage& page = *cached.page;
    if (cell.stamp == execution_ || page.stamp != execution_ || page.background.key != 0) {
      return false;
    }
    page.touched[index / 64] |= std::uint64_t{1} << (index % 64);
    cached.block->repeated[index] = key;
    cell.stamp = execution_;
    cell.keys[0] = key;
    cell.keys[1] = 0;
    cell.places[0] = place;
    cell.overflow = nullptr;
    cell.names = 0;
    return true;
  }

  // The cell of an address, with what this execution has recorded in it.
  ShadowCell& cell(std::uint64_t address) {
    CachedPage& cached = cache_[cache_index(address / page_size)];
    if (cached.number != address / page_size) [[unlikely]] {
      load(cached, address / page_size);
    }
    ShadowCell& found = cached.block->cells[cell_index(address)];
    if (found.stamp != execution_) refresh(*cached.page, cell_index(address));
    return found;
  }

  // The header of a page as this execution has left it.
  ShadowPage& page(std::uint64_t number);

  // Adds an access to a cell whose own ones now have the keys `first` and `second`. The newest stay
  // in the cell, where the fast path looks. `free` is a free place beyond it, or nullptr.
  void record(ShadowCell& cell, std::uint64_t first, std::uint64_t second, RecordedAccess* free,
              std::uint64_t key, const AccessPlace& place) {
    if (first == 0) {
      cell.keys[0] = key;
      cell.keys[1] = second;
      cell.places[0] = place;
      return;
    }
    cell.keys[0] = first;
    if (second != 0) [[unlikely]] {
      if (free == nullptr) free = &add_overflow(cell).accesses[0];
      *free = {second, cell.places[1]};
    }
    cell.keys[1] = key;
    cell.places[1] = place;
  }
  void release_overflow(ShadowCell& cell);

  // No access to these bytes has happened. Addresses named in them are appended to `named`.
  void forget(std::uint64_t address, std::uint64_t size, std::vector<std::uint64_t>& named);
  // Appends the named addresses in these bytes to `named`; they are no longer named.
  void take_names(std::uint64_t address, std::uint64_t size, std::vector<std::uint64_t>& named);
  void add_name(std::uint64_t address);

 private:
  struct CachedPage {
    std::uint64_t number = ~std::uint64_t{0};
    ShadowBlock* block = nullptr;
    ShadowPage* page = nullptr;
  };
  // Pages in a row. Most of a large range, as a whole stack, has none: that is seen a group at a
  // time.
  struct PageGroup {
    static constexpr std::uint32_t page_count = 64;
    std::uint64_t present = 0;  // bit i: page i is there
    std::array<ShadowPage*, page_count> pages = {};
  };
  struct TableEntry {
    std::uint64_t number = 0;
    PageGroup* group = nullptr;  // nullptr: free
  };
  static constexpr std::uint64_t group_size = page_size * PageGroup::page_count;
  static constexpr std::uint32_t cache_size = 16384;  // pages; only those in use cost anything
  static constexpr std::uint32_t blocks_per_slab = 113;
  static constexpr std::size_t slab_size = 4 << 20;
  static_assert(blocks_per_slab == slab_size / sizeof(ShadowBlock));
  static constexpr std::size_t small_slabs = 2;  // before much memory is known to be in use
  // From the system, which gives empty memory and only as much as is touched: most pages of a
  // program have few cells in use.
  struct Unmap {
    void operator()(char* slab) const;
  };
  using Slab = std::unique_ptr<char, Unmap>;

  static std::uint32_t cache_index(std::uint64_t number) { return number % cache_size; }
  static std::uint32_t cell_index(std::uint64_t address) {
    return address / granule_size % cells_per_page;
  }
  std::uint32_t home_of(std::uint64_t number) const;
  PageGroup* find_group(std::uint64_t number) const;
  PageGroup& obtain_group(std::uint64_t number);
  ShadowPage& obtain(std::uint64_t number);
  void place(const TableEntry& entry);
  void grow_table();
  ShadowBlock* make_block();
  void load(CachedPage& cached, std::uint64_t number);
  ShadowOverflow& add_overflow(ShadowCell& cell);
  void forget_bytes(ShadowCell& cell, std::uint64_t mask);
  void take_names_of(ShadowPage& page, std::uint64_t address, std::uint64_t end,
                     std::vector<std::uint64_t>& named);
  void take_names_of(ShadowCell& cell, std::uint64_t granule, std::uint64_t mask,
                     std::vector<std::uint64_t>& named);
  // Calls visit(page, first address, end) for each page of the range that this execution has used.
  template <typename Visit>
  void for_each_used_page(std::uint64_t address, std::uint64_t size, Visit visit);
  // The same for a part of a group.
  template <typename Visit>
  void for_each_used_page(const PageGroup& group, std::uint64_t address, std::uint64_t end,
                          Visit visit);
  // Calls visit(cell, address of the granule, mask) for each touched granule in a part of a page.
  // If it is not the whole page and there is a background, the others are touched first.
  template <typename Visit>
  void for_each_touched(ShadowPage& page, std::uint64_t address, std::uint64_t end, Visit visit);

  // A page and a cell that this execution uses for the first time.
  void start_page(ShadowPage& page) {
    if (page.stamp == execution_) return;
    page.stamp = execution_;
    page.has_names = false;
    page.background.key = 0;
    page.touched = {};
  }
  void refresh(ShadowPage& page, std::uint32_t index) {
    start_page(page);
    page.touched[index / 64] |= std::uint64_t{1} << (index % 64);
    ShadowCell& cell = page.block->cells[index];
    cell.stamp = execution_;
    cell.keys[0] = page.background.key;
    cell.keys[1] = 0;
    cell.places[0] = page.background.place;
    cell.overflow = nullptr;
    cell.names = 0;
  }

  std::uint32_t execution_ = 1;
  std::array<CachedPage, cache_size> cache_;
  std::vector<TableEntry> table_;  // 2^table_bits_ entries, open addressing
  std::uint32_t table_bits_;
  std::uint32_t group_count_ = 0;
  Pool<PageGroup> groups_;
  Pool<ShadowPage> pages_;
  Pool<ShadowOverflow> overflows_;
  ShadowOverflow* free_overflow_ = nullptr;  // a list through ShadowOverflow::next
  std::vector<Slab> slabs_;
  std::uint32_t blocks_made_in_slab_ = blocks_per_slab;
};

}  // namespace ricercar::inline detect
