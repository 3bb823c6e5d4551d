// Memory that is mapped at two addresses: one file, or one piece of shared memory, mapped twice. To
// everything that tells memory by its address (races, choice points, dependence) it is at the
// address of the older mapping. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

// Some memory is: until then nothing but this is looked at.
extern bool memory_has_aliases;
// A file is mapped for sharing.
extern bool memory_has_shared_files;

std::uint64_t older_address(std::uint64_t address);

inline std::uint64_t one_address(std::uint64_t address) {
  return __builtin_expect(memory_has_aliases, 0) ? older_address(address) : address;
}

// A shared mapping of what `file` is open for, from `offset` on.
void shared_mapping_made(void* start, std::size_t size, int file, std::uint64_t offset);
bool is_mapped_file(std::uint64_t device, std::uint64_t inode);
// The same for memory that is known by a number of its own (shmat).
void shared_segment_attached(void* start, int id);
void mapping_gone(const void* start, std::size_t size);

// What is there now stays for all executions; what comes later goes with its execution.
void aliases_freeze();
void aliases_rewind();

}  // namespace ricercar::inline threads
