// Accesses: the part of the race detector that compares them. Happens-before is kept in
// data_race_order.cc.
#include "detect/data_race.h"

#include <algorithm>
#include <bit>

namespace ricercar::inline detect {
namespace {

bool happens_before(std::uint64_t key, const VectorClock& now) {
  return now[access_key::slot_of(key)] >= access_key::clock_of(key);
}

// The bytes from `address` to `end`, both in one granule.
std::uint64_t bytes_at(std::uint64_t address, std::uint64_t end) {
  return access_key::byte_mask(static_cast<std::uint32_t>(address % ShadowMemory::granule_size),
                               static_cast<std::uint32_t>(end - address));
}

}  // namespace

// What remains of `other`, the key of an earlier access of some of the bytes: it stands for those
// bytes only as long as `key` does not stand for it.
inline std::uint64_t RaceDetector::check(const Request& request, std::uint64_t key,
                                         std::uint64_t other, const AccessPlace& other_place,
                                         std::uint64_t granule) {
  if (!happens_before(other, request.task.now)) {
    if (found_ == nullptr && access_key::conflict(key, other)) {
      report(request, key, {other, other_place}, granule);
    }
    return other;
  }
  if ((other & access_key::kind & ~key) != 0) return other;
  const std::uint64_t rest = other & ~(key & access_key::bytes);
  return (rest & access_key::bytes) != 0 ? rest : 0;
}

inline std::uint64_t RaceDetector::check_in_cell(const Request& request, std::uint64_t key,
                                                 const ShadowCell& cell, std::uint32_t place,
                                                 std::uint64_t granule) {
  const std::uint64_t other = cell.keys[place];
  if ((other & key & access_key::bytes) == 0) return other;
  return check(request, key, other, cell.places[place], granule);
}

inline void RaceDetector::access_granule(const Request& request, std::uint64_t granule,
                                         std::uint64_t mask) {
  ShadowCell& cell = shadow_.cell(granule);
  const std::uint64_t key = request.key | mask;
  if (access_key::covers(cell.keys[0], key) || access_key::covers(cell.keys[1], key)) return;
  RecordedAccess* free = nullptr;
  if (cell.overflow != nullptr && !check_overflow(request, key, cell, granule, &free)) return;
  const std::uint64_t first = check_in_cell(request, key, cell, 0, granule);
  const std::uint64_t second = check_in_cell(request, key, cell, 1, granule);
  shadow_.record(cell, first, second, free, key, request.place);
}

const Race* RaceDetector::general_access(TaskId task, std::uint64_t address, std::uint64_t size,
                                         std::uint64_t kind, std::uint64_t site,
                                         std::uint64_t event) {
  if (size == 0) return nullptr;
  const TaskClocks& clocks = clocks_of(task);
  const std::uint8_t own = (kind & access_key::write) != 0 ? ignored_writes : ignored_reads;
  if (__builtin_expect((clocks.ignored & own) != 0, 0)) return nullptr;
  const Request request{clocks, epochs_[index(task)] | kind, {site, event}};
  found_ = nullptr;
  const std::uint64_t granule = address & -ShadowMemory::granule_size;
  const std::uint64_t offset = address - granule;
  if (size <= ShadowMemory::granule_size - offset) [[likely]] {
    access_granule(request, granule, bytes_at(address, address + size));
  } else {
    access_range(request, address, address + size);
  }
  return found_;
}

void RaceDetector::access_range(Request request, std::uint64_t address, std::uint64_t end) {
  const bool is_plain_write = (request.key & access_key::kind) == access_key::kind;
  while (address < end) {
    if (is_plain_write && address % ShadowMemory::page_size == 0 &&
        end - address >= ShadowMemory::page_size) {
      overwrite_page(request, address);
      address += ShadowMemory::page_size;
      continue;
    }
    const std::uint64_t granule = address & -ShadowMemory::granule_size;
    const std::uint64_t next = std::min(end, granule + ShadowMemory::granule_size);
    access_granule(request, granule, bytes_at(address, next));
    address = next;
  }
}

// A plain write of a whole page becomes its background; only touched cells are looked at.
void RaceDetector::overwrite_page(Request request, std::uint64_t address) {
  ShadowPage& page = shadow_.page(address / ShadowMemory::page_size);
  page.for_each_touched([&](std::uint32_t i) {
    access_granule(request, address + i * ShadowMemory::granule_size, access_key::bytes);
  });
  const std::uint64_t key = request.key | access_key::bytes;
  RecordedAccess& background = page.background;
  if (background.key != 0) check(request, key, background.key, background.place, address);
  background = {key, request.place};
}

// False if an access beyond the cell covers this one. Otherwise `free` is a free place there, if
// there is one.
bool RaceDetector::check_overflow(Request request, std::uint64_t key, ShadowCell& cell,
                                  std::uint64_t granule, RecordedAccess** free) {
  bool is_used = false;
  for (ShadowOverflow* block = cell.overflow; block != nullptr; block = block->next) {
    for (RecordedAccess& other : block->accesses) {
      if (access_key::covers(other.key, key)) return false;
      if ((other.key & key & access_key::bytes) != 0) {
        other.key = check(request, key, other.key, other.place, granule);
      }
      if (other.key == 0) *free = &other;
      is_used |= other.key != 0;
    }
  }
  if (!is_used) {
    shadow_.release_overflow(cell);
    *free = nullptr;
  }
  return true;
}

void RaceDetector::report(Request request, std::uint64_t key, const RecordedAccess& other,
                          std::uint64_t granule) {
  const std::uint64_t both = key & other.key & access_key::bytes;
  const int first = std::countr_zero(both);
  race_ = {
      .address = granule + static_cast<std::uint64_t>(first),
      .size = static_cast<std::uint32_t>(std::countr_one(both >> first)),
      .task = request.task.task,
      .site = request.place.site,
      .is_write = (key & access_key::write) != 0,
      .other_task = task_at(access_key::slot_of(other.key), access_key::clock_of(other.key)),
      .other_site = other.place.site,
      .other_is_write = (other.key & access_key::write) != 0,
      .is_atomic = (key & access_key::plain) == 0,
      .other_is_atomic = (other.key & access_key::plain) == 0,
      .other_event = other.place.event,
  };
  found_ = &race_;
}

// Heap.

void RaceDetector::allocated(std::uint64_t address, std::uint64_t size) {
  shadow_.forget(address, size, named_);
  end_names();
}

const Race* RaceDetector::freed(TaskId task, std::uint64_t address, std::uint64_t size,
                                std::uint64_t site, std::uint64_t event) {
  shadow_.take_names(address, size, named_);
  end_names();
  return general_access(task, address, size, access_key::plain | access_key::write, site, event);
}

}  // namespace ricercar::inline detect
