// The process of a world that is an ordinary program (machines are one; threads need a runtime that
// is there before main, see worker/): how it finds what the tool asks for, does it, and replays.
// One thread.
#pragma once

#include <functional>
#include <memory>

#include "search/control.h"
#include "search/decisions.h"
#include "search/world.h"

namespace ricercar::inline search {

// The shared memory of the tool that started this process; null: it was started by hand.
Control* control_from_tool();

// For a search that no tool has asked for. The one before it must be gone.
std::unique_ptr<Control> private_control();

// Does what the tool asked for with `work`, and ends the process: the rest of main is not its
// business. What `work` throws is a user's mistake.
[[noreturn]] void work_for_tool(Control& control, WorldKind world,
                                const std::function<void(Control&)>& work);

// Runs one execution along recorded decisions.
ExecutionEnd follow(World& world, ReplayStrategy& decisions);

// Runs the schedule of control.request once; sets Control::recording and the status.
void replay(Control& control, World& world);

}  // namespace ricercar::inline search
