// What the loaded objects of the program import: whether it can call a function at all.
#pragma once

namespace ricercar::inline threads {

// What a program, or a library of it other than the runtime, may do at all.
struct ProgramImports {
  // Without it cancellation points cost one branch and leave no step behind.
  bool cancels = false;
  // Sends signals, or sets timers that do. Without it masks are the kernel's, and no step can be
  // interrupted.
  bool signals = false;

  void look();  // before the first execution
};

}  // namespace ricercar::inline threads
