// The explanation of a recorded bug, made by the tool: the runtime has no symbols and no source
// lines.
#pragma once

#include <string>

namespace ricercar {

// What `ricercar show FILE` prints; empty if the tool cannot be found.
std::string explain(const std::string& schedule_path);

}  // namespace ricercar
