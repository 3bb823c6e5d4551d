// Undoes what a log of changes says, and does single changes again.
#pragma once

#include "disk/log.h"

namespace ricercar::inline disk {

// All of it, the last change first; the log is empty then.
void undo_all(DiskLog& log);
// Only what one node has done, which the log forgets.
void undo_node(DiskLog& log, std::uint16_t node);

}  // namespace ricercar::inline disk
