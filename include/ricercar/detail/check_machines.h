// ricercar::check_machines: the search of a system of machines, in the process that calls it.
#pragma once

#include <ricercar/machine.h>
#include <ricercar/ricercar.h>

namespace ricercar {

// Searches the executions of a system. Of the options, points, races, spurious_wakeups and
// weak_failures mean nothing here.
//
//   auto result = ricercar::check_machines({.strategy = "ses:explorer=rtc"}, set_up);
//   EXPECT_TRUE(result) << result;
[[gnu::visibility("default")]] Result check_machines(const Options& options, const SetUp& set_up);

}  // namespace ricercar
