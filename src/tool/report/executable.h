// What can be known about a program file before it is started. Not thread-safe (libelf).
#pragma once

#include <string>
#include <vector>

#include "model/worlds.h"

namespace ricercar::inline report {

// Throws UsageError, each with its own message, if the file is missing, not executable, a script,
// not a 64-bit x86 program, statically linked, setuid, or not linked with Ricercar's runtime.
void require_controlled(const std::string& path);

// The world whose library the program is linked with.
WorldKind world_of(const std::string& path);

// Why the dynamic loader cannot start the program, in its own words; empty: it can.
std::string loader_complaint(const std::string& path);

// The paths of the shared libraries that the dynamic loader would load with it.
std::vector<std::string> libraries_of(const std::string& path);

// The identity of a build: the linker's build id, or a hash of the file if it has none. Empty if
// there is no such file.
std::string build_id_of(const std::string& path);

}  // namespace ricercar::inline report
