// Options that would take the instrumentation away again behind our back. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/compiler_plan.h"

namespace ricercar::inline cli {

struct KeptInstrumentation {
  Command arguments;               // without what would remove it
  std::vector<std::string> notes;  // what was left out, and why: a sentence each
};

// Link-time optimisation compiles the program again when it is linked, where instrumentation is not
// asked for; the other options switch it off, wholly or in part.
KeptInstrumentation keep_instrumentation(const Command& arguments);

}  // namespace ricercar::inline cli
