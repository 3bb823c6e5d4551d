// What would have to be atomic: parts of the explanations of several kinds of bugs. Pure functions
// over a recording, which write what they recognise. Not thread-safe.
#pragma once

#include <cstddef>

#include "report/variable_accesses.h"
#include "report/why.h"

namespace ricercar::inline report {

// The lock that was held at both ends was given back in between, or only one side has a lock.
void tell_locks_around(WhyWriter& writer, std::size_t from, std::size_t between, std::size_t to);

// The same is done in the same line, as in a loop.
bool is_done_again(WhyWriter& writer, std::size_t one, std::size_t two);

// The task was preempted after it had looked at something, and went on to use it when another
// thread had changed it. The last such place before `end`. False: there is none, and nothing is
// said.
bool tell_stale_use(WhyWriter& writer, VariableAccesses& accesses, TaskId task, std::size_t end);

}  // namespace ricercar::inline report
