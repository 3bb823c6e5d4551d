// Whole programs: main of an unmodified program, each execution from the same start.
#pragma once

namespace ricercar::inline worker {

// The tool started this process to run its main function again and again. Known from the first call
// on, before any constructor has run.
bool is_whole_program();

}  // namespace ricercar::inline worker
