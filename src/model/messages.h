// Words that the runtime puts into the messages of outcomes and that reports look for.
#pragma once

namespace ricercar::inline model {

// The message of a data race whose later access is the end of the memory's life begins so.
inline constexpr const char* free_by = "free by ";

// Added to the message of a use after free that is a data race as well: the other order of the two
// would have been reported as the race.
inline constexpr const char* not_ordered = ", and nothing orders the two: it is a data race, too";

}  // namespace ricercar::inline model
