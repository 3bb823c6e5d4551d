#include "threads/memory/aliases.h"

#include <sys/shm.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/system_call.h"
#include "threads/memory/memory_state.h"
#include "threads/memory/not_modelled.h"

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t segments = ~std::uint64_t{0};  // the device of shared segments

void too_many() {
  not_modelled(
      "maps files or segments for sharing at more than 64 places: memory at two of these addresses "
      "counts as two");
}

bool overlap(std::uint64_t low, std::uint64_t high, std::uint64_t start, std::uint64_t end) {
  return low < end && start < high;
}

}  // namespace

// What the mappings have in common is at two addresses.
void Aliases::compare(const Mapping& older, const Mapping& newer) {
  if (older.device != newer.device || older.inode != newer.inode) return;
  const std::uint64_t first = std::max(older.offset, newer.offset);
  const std::uint64_t last =
      std::min(older.offset + (older.high - older.low), newer.offset + (newer.high - newer.low));
  if (first >= last) return;
  if (alias_count_ == most) return too_many();
  const std::uint64_t low = newer.low + (first - newer.offset);
  aliases_[alias_count_++] = {low, low + (last - first),
                              older_address(older.low + (first - older.offset))};
}

void Aliases::add(const Mapping& mapping) {
  if (mapping_count_ == most) return too_many();
  for (std::uint32_t i = 0; i < mapping_count_; ++i) compare(mappings_[i], mapping);
  mappings_[mapping_count_++] = mapping;
}

std::uint64_t Aliases::older_address(std::uint64_t address) const {
  for (std::uint32_t i = 0; i < alias_count_; ++i) {
    const Alias& alias = aliases_[i];
    if (address - alias.low < alias.high - alias.low) return alias.older + (address - alias.low);
  }
  return address;
}

void shared_mapping_made(void* start, std::size_t size, int file, std::uint64_t offset) {
  struct stat status = {};
  if (system_call(SYS_fstat, file, as_argument(&status)) != 0) return;
  const auto low = reinterpret_cast<std::uint64_t>(start);
  memory_state.aliases.add({low, low + size, status.st_dev, status.st_ino, offset});
}

bool Aliases::contains_file(std::uint64_t device, std::uint64_t inode) const {
  return std::any_of(mappings_, mappings_ + mapping_count_, [&](const Mapping& mapping) {
    return mapping.device == device && mapping.inode == inode;
  });
}

void shared_segment_attached(void* start, int id) {
  shmid_ds status = {};
  if (system_call(SYS_shmctl, id, IPC_STAT, as_argument(&status)) != 0) return;
  const auto low = reinterpret_cast<std::uint64_t>(start);
  memory_state.aliases.add(
      {low, low + status.shm_segsz, segments, static_cast<std::uint64_t>(id), 0});
}

void mapping_gone(const void* start, std::size_t size) {
  const auto low = reinterpret_cast<std::uint64_t>(start);
  memory_state.aliases.remove(low, low + size);
}

void Aliases::remove(std::uint64_t low, std::uint64_t high) {
  if (mapping_count_ == 0) return;
  const auto is_gone = [&](const Mapping& mapping) {
    return overlap(mapping.low, mapping.high, low, high);
  };
  const auto is_alias_of_gone = [&](const Alias& alias) {
    return overlap(alias.low, alias.high, low, high) ||
           overlap(alias.older, alias.older + (alias.high - alias.low), low, high);
  };
  mapping_count_ = static_cast<std::uint32_t>(
      std::remove_if(mappings_, mappings_ + mapping_count_, is_gone) - mappings_);
  alias_count_ = static_cast<std::uint32_t>(
      std::remove_if(aliases_, aliases_ + alias_count_, is_alias_of_gone) - aliases_);
}

void Aliases::freeze() {
  frozen_mappings_ = mapping_count_;
  frozen_aliases_ = alias_count_;
}

void Aliases::rewind() {
  mapping_count_ = std::min(mapping_count_, frozen_mappings_);
  alias_count_ = std::min(alias_count_, frozen_aliases_);
}

}  // namespace ricercar::inline threads
