// What the runtime asks the tool, because it has no symbols and no source lines itself.
#pragma once

#include <string>

namespace ricercar::inline worker {

// What `ricercar show FILE` prints; empty if the tool cannot be found.
std::string explain(const std::string& schedule_path);

// The code of this program that is not instrumented, as a list for a sentence; empty: all of it is,
// or the tool cannot be found.
std::string uninstrumented_code();

}  // namespace ricercar::inline worker
