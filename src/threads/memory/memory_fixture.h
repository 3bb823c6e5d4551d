// What the tests see of the runtime that the fixture library is.
#pragma once

#include <cstddef>

#include "threads/memory/external_state.h"
#include "threads/memory/heap.h"
#include "threads/memory/snapshot.h"

namespace ricercar::fixture {

#define RICERCAR_FIXTURE __attribute__((visibility("default")))

// Takes the snapshot and the external state; from now on hooks are active.
RICERCAR_FIXTURE void take();
RICERCAR_FIXTURE void restore();
RICERCAR_FIXTURE SnapshotStats stats();
// A real thread that is parked for ever, as the runtime's lenders are. False: it was not created.
RICERCAR_FIXTURE bool park_thread();
// The last reason given to needs_fork(), or nullptr.
RICERCAR_FIXTURE const char* fork_reason();
RICERCAR_FIXTURE std::size_t bad_frees();

}  // namespace ricercar::fixture
