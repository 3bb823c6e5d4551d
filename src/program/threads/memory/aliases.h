// Memory that is mapped at two addresses: one file, or one piece of shared memory, mapped twice. To
// everything that tells memory by its address (races, choice points, dependence) it is at the
// address of the older mapping. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

class Aliases {
 public:
  struct Mapping {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t device;
    std::uint64_t inode;
    std::uint64_t offset;  // of `low` in the file
  };

  // Some memory is at two addresses: until then nothing but this is looked at.
  bool any() const { return alias_count_ != 0; }
  std::uint64_t older_address(std::uint64_t address) const;
  // Some file is mapped for sharing.
  bool any_file() const { return mapping_count_ != 0; }
  bool contains_file(std::uint64_t device, std::uint64_t inode) const;

  void add(const Mapping& mapping);
  void remove(std::uint64_t low, std::uint64_t high);
  // What is there now stays for all executions; what comes later goes with its execution.
  void freeze();
  void rewind();

 private:
  struct Alias {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t older;  // the address of what is at `low`
  };
  static constexpr std::uint32_t most = 64;

  void compare(const Mapping& older, const Mapping& newer);

  std::uint32_t alias_count_ = 0;
  std::uint32_t mapping_count_ = 0;
  std::uint32_t frozen_mappings_ = 0;
  std::uint32_t frozen_aliases_ = 0;
  Mapping mappings_[most] = {};
  Alias aliases_[most] = {};
};

// A shared mapping of what `file` is open for, from `offset` on.
void shared_mapping_made(void* start, std::size_t size, int file, std::uint64_t offset);
// The same for memory that is known by a number of its own (shmat).
void shared_segment_attached(void* start, int id);
void mapping_gone(const void* start, std::size_t size);

}  // namespace ricercar::inline threads
