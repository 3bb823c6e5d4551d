// Accesses: the part of the race detector that compares them. Happens-before is kept in
// data_race_order.cc.
#include "check/data_race.h"

#include <algorithm>
#include <bit>

namespace ricercar {
namespace {

bool happens_before(std::uint64_t key, const VectorClock& now) {
  return now[access_key::slot_of(key)] >= access_key::clock_of(key);
}

}  // namespace

const Race* RaceDetector::general_access(TaskId task, std::uint64_t address, std::uint64_t size,
                                         std::uint64_t kind, std::uint64_t site,
                                         std::uint64_t event) {
  Request request{clocks_of(task), {epochs_[index(task)] | kind, site, event}};
  const std::uint64_t granule = address & -ShadowMemory::granule_size;
  const std::uint64_t offset = address - granule;
  if (size <= ShadowMemory::granule_size - offset) [[likely]] {
    access_granule(request, granule,
                   access_key::byte_mask(static_cast<std::uint32_t>(offset),
                                         static_cast<std::uint32_t>(size)));
  } else {
    access_range(request, address, address + size);
  }
  return request.race;
}

void RaceDetector::access_range(Request& request, std::uint64_t address, std::uint64_t end) {
  const bool overwrites = access_key::conflict(request.access.key, 0);
  while (address < end) {
    if (overwrites && address % ShadowMemory::page_size == 0 &&
        end - address >= ShadowMemory::page_size) {
      overwrite_page(request, address);
      address += ShadowMemory::page_size;
      continue;
    }
    const std::uint64_t granule = address & -ShadowMemory::granule_size;
    const std::uint64_t next = std::min(end, granule + ShadowMemory::granule_size);
    access_granule(request, granule,
                   access_key::byte_mask(static_cast<std::uint32_t>(address - granule),
                                         static_cast<std::uint32_t>(next - address)));
    address = next;
  }
}

// A plain write of a whole page becomes its background; only touched cells are looked at.
void RaceDetector::overwrite_page(Request& request, std::uint64_t address) {
  ShadowPage& page = shadow_.page(address / ShadowMemory::page_size);
  for (std::uint32_t i = 0; i < ShadowMemory::cells_per_page; ++i) {
    if (page.is_touched(i)) {
      access_granule(request, address + i * ShadowMemory::granule_size, access_key::bytes);
    }
  }
  RecordedAccess access = request.access;
  access.key |= access_key::bytes;
  if (page.background.key != 0) check(request, access, page.background, address);
  page.background = access;
}

void RaceDetector::access_granule(Request& request, std::uint64_t granule, std::uint64_t mask) {
  ShadowCell& cell = shadow_.cell(granule);
  RecordedAccess access = request.access;
  access.key |= mask;
  if (access_key::covers(cell.keys[0], access.key)) return;
  if (access_key::covers(cell.keys[1], access.key)) return;
  if (cell.overflow != 0) {
    if (is_covered_beyond(cell, access.key)) return;
    check_overflow(request, access, cell, granule);
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    if ((cell.keys[i] & mask) != 0) {
      cell.keys[i] = check(request, access, access_in(cell, i), granule);
    }
  }
  shadow_.record(cell, access);
}

bool RaceDetector::is_covered_beyond(const ShadowCell& cell, std::uint64_t wanted) {
  for (std::uint32_t number = cell.overflow; number != 0; number = shadow_.overflow(number).next) {
    for (const RecordedAccess& other : shadow_.overflow(number).accesses) {
      if (access_key::covers(other.key, wanted)) return true;
    }
  }
  return false;
}

void RaceDetector::check_overflow(Request& request, const RecordedAccess& access, ShadowCell& cell,
                                  std::uint64_t granule) {
  bool is_used = false;
  for (std::uint32_t number = cell.overflow; number != 0; number = shadow_.overflow(number).next) {
    for (RecordedAccess& other : shadow_.overflow(number).accesses) {
      if ((other.key & access.key & access_key::bytes) != 0) {
        other.key = check(request, access, other, granule);
      }
      is_used |= other.key != 0;
    }
  }
  if (!is_used) shadow_.release_overflow(cell);
}

// What remains of the key of `other`, an earlier access of some of the bytes: it stands for those
// bytes only as long as `access` does not stand for it.
std::uint64_t RaceDetector::check(Request& request, const RecordedAccess& access,
                                  const RecordedAccess& other, std::uint64_t granule) {
  if (!happens_before(other.key, request.task.now)) {
    if (request.race == nullptr && access_key::conflict(access.key, other.key)) {
      report(request, access, other, granule);
    }
    return other.key;
  }
  if ((other.key & access_key::kind & ~access.key) != 0) return other.key;
  const std::uint64_t rest = other.key & ~(access.key & access_key::bytes);
  return (rest & access_key::bytes) != 0 ? rest : 0;
}

void RaceDetector::report(Request& request, const RecordedAccess& access,
                          const RecordedAccess& other, std::uint64_t granule) {
  const std::uint64_t both = access.key & other.key & access_key::bytes;
  const int first = std::countr_zero(both);
  race_ = {
      .address = granule + static_cast<std::uint64_t>(first),
      .size = static_cast<std::uint32_t>(std::countr_one(both >> first)),
      .task = request.task.task,
      .site = access.site,
      .is_write = (access.key & access_key::write) != 0,
      .other_task = task_at(access_key::slot_of(other.key), access_key::clock_of(other.key)),
      .other_site = other.site,
      .other_is_write = (other.key & access_key::write) != 0,
      .is_atomic = (access.key & access_key::plain) == 0,
      .other_is_atomic = (other.key & access_key::plain) == 0,
      .other_event = other.event,
  };
  request.race = &race_;
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

}  // namespace ricercar
