// The program that belongs to a recorded schedule.
#pragma once

#include "cli/session.h"

namespace ricercar::inline cli {

// `instead`: another path than the recorded one, or empty. Throws UsageError if the program is
// gone or is another build than the recorded one.
Program program_of(const Schedule& schedule, const std::string& instead);

}  // namespace ricercar::inline cli
