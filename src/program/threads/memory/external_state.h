// The state of a process that memory does not hold: file descriptors and their offsets, the working
// directory, the umask, resource limits, groups, signals, mappings. Taken with the snapshot and put
// back with it.
//
// The hooks in intercept_*.cc note what an execution may have changed, so that a restore after an
// execution that changed nothing is a few compares.
#pragma once

#include <link.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>

namespace ricercar::inline threads {

struct SavedProcess {
  long saved_folder = -1;  // a descriptor
  long saved_creation_mask = 0;
  bool folder_changed = false;
  bool creation_mask_changed = false;
  bool groups_changed = false;
  long saved_group_count = 0;
  gid_t saved_groups[64] = {};
  std::uint32_t changed_limits = 0;  // as bits
  rlimit saved_limits[RLIM_NLIMITS] = {};
  rlim_t seen_hard_limits[RLIM_NLIMITS] = {};  // of the changed ones
  const link_map* last_library = nullptr;
  bool libraries_changed = false;
  std::uint64_t restores = 0;
};

// Set while a whole program is under control in this process; hooks are idle without it.
extern bool tracking;

// The scheduler's: this program changed something that cannot be undone here. It is run with a fork
// for each execution from now on, and the report says why. `why` completes "the program ...".
void needs_fork(const char* why);
// A library that was loaded is closed again.
void closes_library(void* library);
// How many were: other code may be where theirs was.
extern std::uint64_t closed_libraries;

// Where a fork for each execution is used, both are called in the parent: descriptors share their
// offsets with the child's.
void external_state_take();
void external_state_restore();

// Hooks elsewhere call this if they open, close or replace descriptors.
void note_descriptors();

// The scheduler's: this one is going to be closed, or to lead elsewhere.
void descriptor_goes(int number);
// Likewise: some descriptor may have been closed on the way to this result.
int replaced_descriptor(int result);
// The scheduler's as well: the program is about to read, write or close it where no hook sees that,
// through a stream of the C library or inside of the kernel. Negative: it may be any of them.
void used_past_hooks(int number);
// And this one has become another number for something that is open.
void copied_descriptor(int number);

// Signals that the runtime handles itself. The program may install a handler, but only the
// runtime's stays installed; the runtime calls the program's.
void external_state_own_signal(int signal);

// What the hooks of intercept_process.cc note.
void note_folder();
void note_creation_mask();
// Before the program sets its supplementary groups.
void note_groups();
// Before the program sets one: what is really set, so that it can be put back.
rlimit note_resource_limit(int resource, const rlimit& next);
// What the program has to see of one.
rlimit seen_resource_limit(int resource, const rlimit& real);
void note_libraries();

}  // namespace ricercar::inline threads
