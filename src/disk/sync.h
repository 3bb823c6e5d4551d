// fsync() and its relatives: what was changed before is not lost by a crash.
#pragma once

#include "disk/log.h"

namespace ricercar::inline disk {

// The contents of what a descriptor leads to; of a folder, the names in it.
void sync_file(DiskLog& log, int number);
// All that the node has done that makes changes now.
void sync_all(DiskLog& log);

}  // namespace ricercar::inline disk
