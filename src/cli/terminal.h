// What the tool knows about where its words go.
#pragma once

#include <cstdio>

#include "report/text.h"

namespace ricercar {

bool is_terminal(std::FILE* stream);

// A terminal that shows more than ASCII.
bool draws_blocks(std::FILE* stream);

// As wide as the terminal, and coloured there unless NO_COLOR is set; plain text otherwise.
TextOptions text_options_for(std::FILE* stream, bool full);

}  // namespace ricercar
