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
// malloc() for the runtime's own needs.
RICERCAR_FIXTURE void* runtime_malloc(std::size_t size);
// The last reason given to needs_fork(), or nullptr.
RICERCAR_FIXTURE const char* fork_reason();

}  // namespace ricercar::fixture
