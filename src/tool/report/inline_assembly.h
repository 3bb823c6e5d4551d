// Atomic instructions in the inline assembly of instrumented files. The compiler's own atomics are
// calls there, so whatever has a lock prefix, or exchanges with memory, was written by hand, and
// the search does not see it. Other inline assembly cannot be told from compiled code.
// Not thread-safe (libelf, libdw).
#pragma once

#include <gelf.h>

#include <set>
#include <string>
#include <vector>

namespace ricercar::inline report {

// "queue.c:34", a few of them at most. `files` are the names of the instrumented files, without
// folders. Needs debug information, which says where their code is.
std::vector<std::string> atomic_assembly(Elf* file, const std::set<std::string>& files);

}  // namespace ricercar::inline report
