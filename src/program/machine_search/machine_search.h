// The search of a system of machines: strategies on all cores, limits, bugs, replays. What passes
// to the outside is Control, as for threads (worker/worker.h); but a handler that crashes does not
// take its process along, so there is one worker from the start to the end.
#pragma once

#include <string>

#include "machines/world.h"
#include "search/control.h"

namespace ricercar::inline machine_search {

// Searches until it is over; sets Control::status and what belongs to it.
void search_machines(Control& control, const machines::InitialSystem& system);

// Runs the schedule of control.request once; sets Control::recording.
void replay_machines(Control& control, const machines::InitialSystem& system);

// What happened in an execution, one line for each event, for people.
struct MachineStory {
  std::string lines;
  std::string ending;  // what every machine was at the end
};
MachineStory tell_story(const FoundBug& bug, Control& control,
                        const machines::InitialSystem& system);

}  // namespace ricercar::inline machine_search
