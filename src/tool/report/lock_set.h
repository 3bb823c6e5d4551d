// The locks that a thread held at an earlier event, from what it has locked and unlocked until
// then.
#pragma once

#include <optional>
#include <vector>

#include "model/recording.h"

namespace ricercar::inline report {

// At the earlier access of a data race. None if that access is not in the recording, or not all
// that came before it.
std::optional<std::vector<RecordedHold>> locks_of_earlier_access(const Recording& recording);

}  // namespace ricercar::inline report
