// File descriptors across executions: the ones that were open at the snapshot are open again after
// a restore, with the same flags and at the same offsets; all others are closed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

struct SavedDescriptor {
  long number;
  long copy;  // the same open file, at a private number
  long descriptor_flags;
  long status_flags;
  long offset;  // negative: it has none
};

struct SavedDescriptors {
  static constexpr std::size_t most = 128;

  SavedDescriptor saved[most] = {};
  std::size_t saved_count = 0;
  bool numbers_changed = false;
  bool flags_changed = false;
  std::uint64_t changes = 1;
};

void descriptors_take();
void descriptors_restore();

// A descriptor may have been opened, closed or replaced.
void note_descriptors();
// The status flags (O_NONBLOCK, O_APPEND) of a descriptor may have changed.
void note_descriptor_flags();
// Something else about a descriptor may have, which is not put back: the time limits of a socket.
void note_descriptor_options();
// How often any of this was noted: what is known of a descriptor holds as long as this is the same.
std::uint64_t descriptor_changes();

// As close_range(), but descriptors of the runtime stay open.
void close_program_descriptors(unsigned first, unsigned last);

}  // namespace ricercar::inline threads
