// What belongs to the memory of one program under test, and to what the kernel keeps for it: what a
// restart puts back, and what an execution has changed. Nothing of it lies in the memory that is
// put back. The heap is beside it (threads/memory/heap.h).
//
// The one instance is there before any constructor has run, because hooks are. Each part belongs to
// the file of its name; what it takes at the snapshot and puts back is said there.
#pragma once

#include "threads/memory/address_space.h"
#include "threads/memory/aliases.h"
#include "threads/memory/descriptors.h"
#include "threads/memory/early_mappings.h"
#include "threads/memory/external_state.h"
#include "threads/memory/mappings.h"
#include "threads/memory/page_guard.h"
#include "threads/memory/signal_state.h"
#include "threads/memory/snapshot.h"
#include "threads/memory/tracked_memory.h"

namespace ricercar::inline threads {

struct MemoryState {
  Aliases aliases;  // every access looks at it
  EarlyMappings early_mappings;
  OwnMappings mappings;
  SavedDescriptors descriptors;
  SavedSignals signals;
  SavedProcess process;
  AddressSpace address_space;
  PageGuards page_guards;
  TrackedMemory tracked;
  Snapshot snapshot;
};

extern MemoryState memory_state;

// See threads/memory/aliases.h.
inline std::uint64_t one_address(std::uint64_t address) {
  const Aliases& aliases = memory_state.aliases;
  return __builtin_expect(aliases.any(), 0) ? aliases.older_address(address) : address;
}

}  // namespace ricercar::inline threads
