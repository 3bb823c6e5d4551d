// What went wrong, in one sentence.
#pragma once

#include <string>

#include "report/names.h"

namespace ricercar::inline report {

std::string headline_of(Names& names);

}  // namespace ricercar::inline report
