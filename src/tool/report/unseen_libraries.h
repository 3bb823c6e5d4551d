// Libraries without instrumentation that were at work between the two accesses of a data race. They
// may order the accesses in a way that is not seen, by atomics of their own. Not thread-safe
// (libelf).
#pragma once

#include <string>
#include <vector>

#include "model/recording.h"

namespace ricercar::inline report {

// The names of their files, without folders. The C and C++ libraries are left out: what they do is
// known. `program`: the path of the executable, which a recording leaves empty.
std::vector<std::string> unseen_libraries(const Recording& recording, const std::string& program);

}  // namespace ricercar::inline report
