// The static libraries of the system (libgcc.a, libc_nonshared.a, libgtest.a, ...). What was linked
// from them is no code of the user's. Not thread-safe (libelf).
#pragma once

#include <string>
#include <vector>

#include "report/source_groups.h"

namespace ricercar::inline report {

// The names of the source files of all objects in the system's archives that some of the functions
// come from. An object counts only if all its global functions are among them and have the same
// sizes: a build of one's own of the same library differs. Those functions are removed.
std::vector<std::string> sources_from_system_archives(std::vector<FunctionSymbol>& functions);

}  // namespace ricercar::inline report
