// Where a node notes which blocks it runs through, if anybody wants to know.
#pragma once

#include "cluster/blocks.h"

namespace ricercar::inline threads {

inline constinit BlockLog* blocks_of_node = nullptr;

}  // namespace ricercar::inline threads
