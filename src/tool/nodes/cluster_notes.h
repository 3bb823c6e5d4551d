// What is said of a cluster at the end of a search, besides what was found: what the search has
// left out, and nodes that meet nobody. It follows from what was seen (ClusterFacts), by one
// process or by several.
#pragma once

#include <string>

#include "nodes/cluster_file.h"
#include "search/control.h"

namespace ricercar::inline nodes {

// Adds it to Control::not_modelled and Control::note.
void tell_of_cluster(Control& control, const ClusterPlan& plan);

}  // namespace ricercar::inline nodes
