#include "threads/memory/descriptors.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstddef>

#include "base/system_call.h"
#include "threads/memory/memory_state.h"
#include "threads/memory/private_file.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.descriptors;

constexpr long highest_number = 1023;  // of a descriptor that is put back

// Files have an offset; devices only say so.
long offset_of(long number) {
  struct stat details;
  if (system_call(SYS_fstat, number, as_argument(&details)) != 0) return -1;
  return S_ISREG(details.st_mode) ? system_call(SYS_lseek, number, 0, SEEK_CUR) : -1;
}

void save(long number, long descriptor_flags) {
  const long copy = copy_to_high_number(number);
  if (copy < 0 || state.saved_count == SavedDescriptors::most) return;
  state.saved[state.saved_count++] = {number, copy, descriptor_flags,
                                      system_call(SYS_fcntl, number, F_GETFL), offset_of(number)};
}

bool is_saved(unsigned number) {
  return std::any_of(state.saved, state.saved + state.saved_count,
                     [number](const SavedDescriptor& descriptor) {
                       return descriptor.number == static_cast<long>(number);
                     });
}

template <typename Stays>
void close_all_but(unsigned first, unsigned last, Stays stays) {
  const unsigned looked_at = std::min<unsigned>(last, highest_number);
  unsigned start = first;
  for (unsigned number = first; number <= looked_at; ++number) {
    if (!stays(number)) continue;
    if (start < number) system_call(SYS_close_range, start, number - 1, 0);
    start = number + 1;
  }
  if (start <= last) system_call(SYS_close_range, start, last, 0);
}

void reopen(const SavedDescriptor& descriptor) {
  const long flags = descriptor.descriptor_flags & FD_CLOEXEC ? O_CLOEXEC : 0;
  system_call(SYS_dup3, descriptor.copy, descriptor.number, flags);
}

}  // namespace

void descriptors_take() {
  state.saved_count = 0;
  for (long number = 0; number <= highest_number; ++number) {
    if (is_private_descriptor(number)) continue;
    const long flags = system_call(SYS_fcntl, number, F_GETFD);
    if (flags >= 0) save(number, flags);
  }
  state.numbers_changed = state.flags_changed = false;
}

void descriptors_restore() {
  if (state.numbers_changed) {
    for (std::size_t i = 0; i < state.saved_count; ++i) reopen(state.saved[i]);
    close_all_but(0, UINT_MAX, [](unsigned number) {
      return is_saved(number) || is_private_descriptor(number);
    });
  }
  for (std::size_t i = 0; i < state.saved_count; ++i) {
    const SavedDescriptor& descriptor = state.saved[i];
    if (state.flags_changed) {
      system_call(SYS_fcntl, descriptor.number, F_SETFL, descriptor.status_flags);
      system_call(SYS_fcntl, descriptor.number, F_SETFD, descriptor.descriptor_flags);
    }
    if (descriptor.offset >= 0) {
      system_call(SYS_lseek, descriptor.number, descriptor.offset, SEEK_SET);
    }
  }
  state.numbers_changed = state.flags_changed = false;
  ++state.changes;
}

void note_descriptors() {
  state.numbers_changed = true;
  ++state.changes;
}
void note_descriptor_flags() {
  state.flags_changed = true;
  ++state.changes;
}
void note_descriptor_options() { ++state.changes; }
std::uint64_t descriptor_changes() { return state.changes; }

void close_program_descriptors(unsigned first, unsigned last) {
  close_all_but(first, last, [](unsigned number) { return is_private_descriptor(number); });
}

}  // namespace ricercar::inline threads
