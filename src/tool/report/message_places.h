// Source lines in messages of the runtime, which can only name addresses: `program(+0x1542)`.
#pragma once

#include <string>

namespace ricercar::inline report {

// Puts `file.cc:12` where the debug information knows the line, and leaves the rest as it is.
std::string with_source_lines(const std::string& message);

}  // namespace ricercar::inline report
