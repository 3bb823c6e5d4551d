// A node of a cluster: one of several processes under one schedule. It runs executions as the
// coordinator orders them, and asks it at every point that other nodes could see.
#pragma once

#include "search/control.h"
#include "worker/worker.h"

namespace ricercar::inline worker {

// Takes the place of this process in its cluster, if it has one.
void join_cluster();

// Serves the coordinator; ends with it.
[[noreturn]] void run_node(Control& control, const Subject& program);

}  // namespace ricercar::inline worker
