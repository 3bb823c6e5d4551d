// Cleanup handlers of C code (pthread_cleanup_push): a chain of jump buffers in the program's
// frames.
#pragma once

#include <cstdint>

#include "threads/task.h"

namespace ricercar::inline threads {

// Jumps to the innermost handler whose frame is being unwound, if there is one: `frame` is the
// address up to which the stack has been unwound.
void run_cleanup_below(Task& task, std::uint64_t frame);

void cleanup_push(Task& task, void* buffer);
void cleanup_pop(Task& task, void* buffer);

}  // namespace ricercar::inline threads
