#include "threads/memory/aliases.h"

#include <sys/shm.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/system_call.h"
#include "threads/memory/not_modelled.h"

namespace ricercar::inline threads {
namespace {

struct Mapping {
  std::uint64_t low;
  std::uint64_t high;
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t offset;  // of `low` in the file
};

struct Alias {
  std::uint64_t low;
  std::uint64_t high;
  std::uint64_t older;  // the address of what is at `low`
};

constexpr std::uint32_t most = 64;
constexpr std::uint64_t segments = ~std::uint64_t{0};  // the device of shared segments

constinit Mapping mappings[most] = {};
constinit Alias aliases[most] = {};
constinit std::uint32_t mapping_count = 0;
constinit std::uint32_t alias_count = 0;
constinit std::uint32_t frozen_mappings = 0;
constinit std::uint32_t frozen_aliases = 0;

void too_many() {
  not_modelled(
      "maps files or segments for sharing at more than 64 places: memory at two of these addresses "
      "counts as two");
}

// What the mappings have in common is at two addresses.
void compare(const Mapping& older, const Mapping& newer) {
  if (older.device != newer.device || older.inode != newer.inode) return;
  const std::uint64_t first = std::max(older.offset, newer.offset);
  const std::uint64_t last =
      std::min(older.offset + (older.high - older.low), newer.offset + (newer.high - newer.low));
  if (first >= last) return;
  if (alias_count == most) return too_many();
  const std::uint64_t low = newer.low + (first - newer.offset);
  aliases[alias_count++] = {low, low + (last - first),
                            one_address(older.low + (first - older.offset))};
  memory_has_aliases = true;
}

void add(const Mapping& mapping) {
  if (mapping_count == most) return too_many();
  for (std::uint32_t i = 0; i < mapping_count; ++i) compare(mappings[i], mapping);
  mappings[mapping_count++] = mapping;
  memory_has_shared_files = true;
}

bool overlap(std::uint64_t low, std::uint64_t high, std::uint64_t start, std::uint64_t end) {
  return low < end && start < high;
}

}  // namespace

constinit bool memory_has_aliases = false;
constinit bool memory_has_shared_files = false;

std::uint64_t older_address(std::uint64_t address) {
  for (std::uint32_t i = 0; i < alias_count; ++i) {
    const Alias& alias = aliases[i];
    if (address - alias.low < alias.high - alias.low) return alias.older + (address - alias.low);
  }
  return address;
}

void shared_mapping_made(void* start, std::size_t size, int file, std::uint64_t offset) {
  struct stat status = {};
  if (system_call(SYS_fstat, file, as_argument(&status)) != 0) return;
  const auto low = reinterpret_cast<std::uint64_t>(start);
  add({low, low + size, status.st_dev, status.st_ino, offset});
}

bool is_mapped_file(std::uint64_t device, std::uint64_t inode) {
  return std::any_of(mappings, mappings + mapping_count, [&](const Mapping& mapping) {
    return mapping.device == device && mapping.inode == inode;
  });
}

void shared_segment_attached(void* start, int id) {
  shmid_ds status = {};
  if (system_call(SYS_shmctl, id, IPC_STAT, as_argument(&status)) != 0) return;
  const auto low = reinterpret_cast<std::uint64_t>(start);
  add({low, low + status.shm_segsz, segments, static_cast<std::uint64_t>(id), 0});
}

void mapping_gone(const void* start, std::size_t size) {
  if (mapping_count == 0) return;
  const auto low = reinterpret_cast<std::uint64_t>(start);
  const std::uint64_t high = low + size;
  const auto is_gone = [&](const Mapping& mapping) {
    return overlap(mapping.low, mapping.high, low, high);
  };
  const auto is_alias_of_gone = [&](const Alias& alias) {
    return overlap(alias.low, alias.high, low, high) ||
           overlap(alias.older, alias.older + (alias.high - alias.low), low, high);
  };
  mapping_count = static_cast<std::uint32_t>(
      std::remove_if(mappings, mappings + mapping_count, is_gone) - mappings);
  alias_count = static_cast<std::uint32_t>(
      std::remove_if(aliases, aliases + alias_count, is_alias_of_gone) - aliases);
  memory_has_aliases = alias_count != 0;
  memory_has_shared_files = mapping_count != 0;
}

void aliases_freeze() {
  frozen_mappings = mapping_count;
  frozen_aliases = alias_count;
}

void aliases_rewind() {
  mapping_count = std::min(mapping_count, frozen_mappings);
  alias_count = std::min(alias_count, frozen_aliases);
  memory_has_aliases = alias_count != 0;
  memory_has_shared_files = mapping_count != 0;
}

}  // namespace ricercar::inline threads
