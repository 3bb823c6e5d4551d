// What went wrong, in one sentence.
#pragma once

#include <string>

#include "report/names.h"

namespace ricercar {

std::string headline_of(Names& names);

// " (4 bytes, global)": what is known about an object besides its name; may be empty.
std::string object_details(Names& names, std::uint64_t address);

}  // namespace ricercar
