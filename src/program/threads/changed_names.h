// Names of files that an execution makes or removes. Files are not put back, so the next execution
// may see another world than this one did. Not thread-safe.
#pragma once

#include <string>

namespace ricercar::inline threads {

// Whether the running execution is watched.
extern bool watches_names;

// From now on; what was seen before is forgotten.
void watch_names();
// A call may make or remove a file of this name; null: it has none.
void may_change_name(const char* path);
// What has become of a name since, as "made the file '/tmp/log'"; empty: all is as it was.
// Watching ends.
std::string changed_name();

}  // namespace ricercar::inline threads
