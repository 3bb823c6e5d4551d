#include "threads/memory/external_state.h"

#include <fcntl.h>
#include <link.h>

#include <cstdint>

#include "base/system_call.h"
#include "threads/memory/address_space.h"
#include "threads/memory/descriptors.h"
#include "threads/memory/mappings.h"
#include "threads/memory/memory_state.h"
#include "threads/memory/private_file.h"
#include "threads/memory/program_memory.h"
#include "threads/memory/signal_state.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.process;

long open_folder() {
  const long opened =
      system_call(SYS_openat, AT_FDCWD, as_argument("."), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return -1;
  const long moved = copy_to_high_number(opened);
  system_call(SYS_close, opened);
  return moved;
}

long current_creation_mask() {
  const long mask = system_call(SYS_umask, 0);
  system_call(SYS_umask, mask);
  return mask;
}

// Libraries are appended to the list, by whatever function loads them.
const link_map* find_last_library() {
  const link_map* library = _r_debug.r_map;
  while (library->l_next != nullptr) library = library->l_next;
  return library;
}

long resource_limit(int resource, const rlimit* next, rlimit* before) {
  return system_call(SYS_prlimit64, 0, resource, as_argument(next), as_argument(before));
}

void restore_limits() {
  for (int resource = 0; state.changed_limits != 0; ++resource, state.changed_limits >>= 1) {
    if ((state.changed_limits & 1) == 0) continue;
    resource_limit(resource, &state.saved_limits[resource], nullptr);
  }
}

// What passes no hook because libc does it inside.
void look_for_leaks() {
  note_descriptors();
  if (address_space_leaks()) {
    needs_fork("makes the C library map more memory in each execution");
  }
}

}  // namespace

constinit bool tracking = false;
std::uint64_t closed_libraries = 0;

void external_state_take() {
  state.saved_folder = open_folder();
  state.saved_creation_mask = current_creation_mask();
  state.last_library = find_last_library();
  descriptors_take();
  signals_take();
  mappings_take();
  address_space_take();
  if (has_dynamic_thread_storage()) {
    needs_fork("has loaded a library with thread-local variables before main");
  }
}

void external_state_restore() {
  descriptors_restore();
  signals_restore();
  mappings_restore();
  if (state.folder_changed && state.saved_folder >= 0) system_call(SYS_fchdir, state.saved_folder);
  if (state.creation_mask_changed) system_call(SYS_umask, state.saved_creation_mask);
  state.folder_changed = state.creation_mask_changed = false;
  restore_limits();
  if (state.groups_changed) {
    system_call(SYS_setgroups, state.saved_group_count, as_argument(state.saved_groups));
  }
  state.groups_changed = false;
  if (!state.libraries_changed && state.last_library->l_next != nullptr) {
    needs_fork("loads a library while it runs");
  }
  if (++state.restores % address_space_window == 0) look_for_leaks();
}

void note_libraries() { state.libraries_changed = true; }

void external_state_own_signal(int signal) { own_signal(signal); }

void note_folder() { state.folder_changed = true; }
void note_creation_mask() { state.creation_mask_changed = true; }

// Who may set them may set them back, as long as it is the same user: if it is not, a fork is
// needed anyway.
void note_groups() {
  if (state.groups_changed) return;
  constexpr long most = sizeof state.saved_groups / sizeof state.saved_groups[0];
  state.saved_group_count = system_call(SYS_getgroups, most, as_argument(state.saved_groups));
  if (state.saved_group_count < 0) needs_fork("changes the groups of its user");
  state.groups_changed = state.saved_group_count >= 0;
}

// A hard limit that the program lowers is lowered in what it sees only: not everybody may raise one
// again. The soft one, which is what the system goes by, is set as it says.
rlimit note_resource_limit(int resource, const rlimit& next) {
  rlimit now{};
  const bool is_known = resource >= 0 && resource < RLIM_NLIMITS && next.rlim_cur <= next.rlim_max;
  if (!is_known || resource_limit(resource, nullptr, &now) != 0) return next;
  if ((state.changed_limits >> resource & 1) == 0) state.saved_limits[resource] = now;
  state.changed_limits |= std::uint32_t{1} << resource;
  state.seen_hard_limits[resource] = next.rlim_max;
  return {next.rlim_cur, next.rlim_max < now.rlim_max ? now.rlim_max : next.rlim_max};
}

rlimit seen_resource_limit(int resource, const rlimit& real) {
  const bool is_known = resource >= 0 && resource < RLIM_NLIMITS;
  if (!is_known || (state.changed_limits >> resource & 1) == 0) return real;
  return {real.rlim_cur, state.seen_hard_limits[resource]};
}

}  // namespace ricercar::inline threads
