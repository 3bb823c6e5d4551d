// Explorers that the program under test has registered (include/ricercar/explorer.h). They come
// through a C interface, because the program has a C++ library of its own.
//
// Called from one kernel thread, except that explorers of different searches are independent.
#pragma once

#include <ricercar/abi.h>

#include <string>
#include <vector>

#include "strategy/delaying/explorers.h"

namespace ricercar::inline strategy {

// Why it was not registered; empty: it was. Called by static constructors, before anything else of
// the search is there.
std::string register_own_explorer(const char* name, const ricercar_explorer_functions& functions);
// The explorer that runs now has thrown this.
void own_explorer_failed(const char* message);

std::vector<OwnExplorer> own_explorers();

// A world that has to protect itself from the program's code sets these; called around each use.
extern void (*enter_own_explorer)();
extern void (*leave_own_explorer)();
// Counts the processes that have taken over the search: what an explorer of the process before has
// allocated is gone.
extern std::uint64_t own_explorer_process;

}  // namespace ricercar::inline strategy
