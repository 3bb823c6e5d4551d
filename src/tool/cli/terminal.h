// What the tool knows about where its words go.
#pragma once

#include <cstdio>

#include "report/reporters.h"

namespace ricercar::inline cli {

bool is_terminal(std::FILE* stream);

// A terminal that shows more than ASCII.
bool draws_blocks(std::FILE* stream);

// As wide as the terminal, and coloured there unless NO_COLOR is set; plain text otherwise.
ReporterOptions reporter_options_for(std::FILE* stream);

}  // namespace ricercar::inline cli
