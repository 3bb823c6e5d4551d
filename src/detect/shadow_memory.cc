#include "detect/shadow_memory.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/system_call.h"

namespace ricercar::inline detect {
namespace {

constexpr std::uint32_t initial_table_bits = 8;

}  // namespace

ShadowMemory::ShadowMemory()
    : table_(std::size_t{1} << initial_table_bits), table_bits_(initial_table_bits) {}

void ShadowMemory::begin_execution() {
  if (++execution_ == 0) {  // after 2^32 executions old stamps would come to life again
    wipe();
    execution_ = 1;
  }
  overflows_.take_back_all();
  free_overflow_ = nullptr;
}

void ShadowMemory::wipe() {
  for (const TableEntry& entry : table_) {
    if (entry.group == nullptr) continue;
    for (ShadowPage* page : entry.group->pages) {
      if (page == nullptr) continue;
      page->stamp = 0;
      if (page->block == nullptr) continue;
      std::memset(static_cast<void*>(page->block), 0, sizeof(ShadowBlock));
    }
  }
}

std::uint32_t ShadowMemory::home_of(std::uint64_t number) const {
  return static_cast<std::uint32_t>((number * 0x9e3779b97f4a7c15ULL) >> (64 - table_bits_));
}

ShadowMemory::PageGroup* ShadowMemory::find_group(std::uint64_t number) const {
  const std::uint32_t last = (1u << table_bits_) - 1;
  for (std::uint32_t i = home_of(number);; i = (i + 1) & last) {
    if (table_[i].group == nullptr || table_[i].number == number) return table_[i].group;
  }
}

ShadowMemory::PageGroup& ShadowMemory::obtain_group(std::uint64_t number) {
  if (PageGroup* group = find_group(number)) return *group;
  if (2 * ++group_count_ > table_.size()) grow_table();
  PageGroup& group = groups_.take();
  place({number, &group});
  return group;
}

ShadowPage& ShadowMemory::obtain(std::uint64_t number) {
  const CachedPage& cached = cache_[cache_index(number)];
  if (cached.number == number) return *cached.page;
  PageGroup& group = obtain_group(number / PageGroup::page_count);
  const std::uint32_t index = number % PageGroup::page_count;
  if (group.pages[index] == nullptr) group.pages[index] = &pages_.take();
  group.present |= std::uint64_t{1} << index;
  return *group.pages[index];
}

void ShadowMemory::place(const TableEntry& entry) {
  const std::uint32_t last = (1u << table_bits_) - 1;
  std::uint32_t i = home_of(entry.number);
  while (table_[i].group != nullptr) i = (i + 1) & last;
  table_[i] = entry;
}

void ShadowMemory::grow_table() {
  RICERCAR_CHECK(table_bits_ < 30);
  std::vector<TableEntry> old(std::size_t{2} << table_bits_);
  old.swap(table_);
  ++table_bits_;
  for (const TableEntry& entry : old) {
    if (entry.group != nullptr) place(entry);
  }
}

void ShadowMemory::Unmap::operator()(char* slab) const {
  system_call(SYS_munmap, as_argument(slab), static_cast<long>(slab_size));
}

ShadowBlock* ShadowMemory::make_block() {
  if (blocks_made_in_slab_ == blocks_per_slab) {
    char* slab = map_memory(nullptr, slab_size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    RICERCAR_CHECK(slab != nullptr);
    if (slabs_.size() >= small_slabs) advise_memory(slab, slab_size, MADV_HUGEPAGE);
    slabs_.emplace_back(slab);
    blocks_made_in_slab_ = 0;
  }
  return reinterpret_cast<ShadowBlock*>(slabs_.back().get()) + blocks_made_in_slab_++;
}

void ShadowMemory::load(CachedPage& cached, std::uint64_t number) {
  ShadowPage& page = obtain(number);
  if (page.block == nullptr) page.block = make_block();
  cached = {number, page.block, &page};
}

ShadowPage& ShadowMemory::page(std::uint64_t number) {
  ShadowPage& page = obtain(number);
  start_page(page);
  return page;
}

ShadowOverflow& ShadowMemory::add_overflow(ShadowCell& cell) {
  ShadowOverflow* added = free_overflow_;
  if (added != nullptr) {
    free_overflow_ = added->next;
  } else {
    added = &overflows_.take();
  }
  for (RecordedAccess& access : added->accesses) access.key = 0;
  added->next = cell.overflow;
  cell.overflow = added;
  return *added;
}

void ShadowMemory::release_overflow(ShadowCell& cell) {
  while (cell.overflow != nullptr) {
    ShadowOverflow* released = cell.overflow;
    cell.overflow = released->next;
    released->next = free_overflow_;
    free_overflow_ = released;
  }
}

void ShadowMemory::add_name(std::uint64_t address) {
  cell(address).names |= 1u << (address % granule_size);
  cache_[cache_index(address / page_size)].page->has_names = true;
}

template <typename Visit>
void ShadowMemory::for_each_used_page(std::uint64_t address, std::uint64_t size, Visit visit) {
  const std::uint64_t end = address + size;
  const CachedPage& cached = cache_[cache_index(address / page_size)];
  if (cached.number == address / page_size && size != 0 && (end - 1) / page_size == cached.number) {
    if (cached.page->stamp == execution_) visit(*cached.page, address, end);
    return;
  }
  while (address < end) {
    const std::uint64_t group_end = std::min(end, (address / group_size + 1) * group_size);
    const PageGroup* group = find_group(address / group_size);
    if (group != nullptr) for_each_used_page(*group, address, group_end, visit);
    address = group_end;
  }
}

template <typename Visit>
void ShadowMemory::for_each_used_page(const PageGroup& group, std::uint64_t address,
                                      std::uint64_t end, Visit visit) {
  const auto index_of = [](std::uint64_t in_page) {
    return static_cast<std::uint32_t>(in_page / page_size % PageGroup::page_count);
  };
  const std::uint64_t start = address & -group_size;
  const std::uint64_t up_to_last = ~std::uint64_t{0} >> (63 - index_of(end - 1));
  const std::uint64_t from_first = ~std::uint64_t{0} << index_of(address);
  for (std::uint64_t rest = group.present & from_first & up_to_last; rest != 0; rest &= rest - 1) {
    const auto index = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t first = start + index * page_size;
    if (group.pages[index]->stamp != execution_) continue;
    visit(*group.pages[index], std::max(address, first), std::min(end, first + page_size));
  }
}

template <typename Visit>
void ShadowMemory::for_each_touched(ShadowPage& page, std::uint64_t address, std::uint64_t end,
                                    Visit visit) {
  if (end - address == page_size) {
    page.for_each_touched([&](std::uint32_t index) {
      visit(page.block->cells[index], address + index * granule_size, access_key::bytes);
    });
    return;
  }
  while (address < end) {
    const std::uint64_t granule = address & -granule_size;
    const std::uint64_t next = std::min(end, granule + granule_size);
    if (page.background.key != 0 || page.is_touched(cell_index(granule))) {
      const auto offset = static_cast<std::uint32_t>(address - granule);
      const auto count = static_cast<std::uint32_t>(next - address);
      visit(cell(granule), granule, access_key::byte_mask(offset, count));
    }
    address = next;
  }
}

void ShadowMemory::forget(std::uint64_t address, std::uint64_t size,
                          std::vector<std::uint64_t>& named) {
  for_each_used_page(address, size, [&](ShadowPage& page, std::uint64_t first, std::uint64_t end) {
    take_names_of(page, first, end, named);
    for_each_touched(page, first, end,
                     [&](ShadowCell& cell, std::uint64_t granule, std::uint64_t mask) {
                       page.block->repeated[cell_index(granule)] = 0;
                       forget_bytes(cell, mask);
                     });
    if (end - first == page_size) page.background.key = 0;
  });
}

void ShadowMemory::forget_bytes(ShadowCell& cell, std::uint64_t mask) {
  const auto without = [mask](std::uint64_t key) {
    return (key & access_key::bytes & ~mask) != 0 ? key & ~mask : 0;
  };
  for (std::uint64_t& key : cell.keys) key = without(key);
  if (mask == access_key::bytes) release_overflow(cell);
  for (ShadowOverflow* block = cell.overflow; block != nullptr; block = block->next) {
    for (RecordedAccess& access : block->accesses) access.key = without(access.key);
  }
}

void ShadowMemory::take_names(std::uint64_t address, std::uint64_t size,
                              std::vector<std::uint64_t>& named) {
  for_each_used_page(address, size, [&](ShadowPage& page, std::uint64_t first, std::uint64_t end) {
    take_names_of(page, first, end, named);
  });
}

void ShadowMemory::take_names_of(ShadowPage& page, std::uint64_t address, std::uint64_t end,
                                 std::vector<std::uint64_t>& named) {
  if (!page.has_names) return;
  for_each_touched(page, address, end,
                   [&](ShadowCell& cell, std::uint64_t granule, std::uint64_t mask) {
                     take_names_of(cell, granule, mask, named);
                   });
}

void ShadowMemory::take_names_of(ShadowCell& cell, std::uint64_t granule, std::uint64_t mask,
                                 std::vector<std::uint64_t>& named) {
  for (std::uint64_t rest = cell.names & mask; rest != 0; rest &= rest - 1) {
    named.push_back(granule + static_cast<std::uint64_t>(std::countr_zero(rest)));
  }
  cell.names &= static_cast<std::uint8_t>(~mask);
}

}  // namespace ricercar::inline detect
