// The worker: the search loop inside of the process that runs the program under test. The strategy
// and all that it has learned live in the shared heap, so a new worker goes on where a broken one
// stopped.
#pragma once

#include <cstdint>
#include <string>

#include "model/outcome.h"
#include "model/trace.h"
#include "search/control.h"

namespace ricercar::inline worker {

// What is run again and again.
struct Subject {
  void* (*body)(void*) = nullptr;
  void* argument = nullptr;
  void (*restart)() = nullptr;  // puts everything back to where an execution starts
  bool whole = false;           // a whole program, not a function
};

// Searches until it is over; sets Control::status. Returns false if this process is not fit to go
// on and another worker has to (Control tells it how).
bool run_search(Control& control, const Subject& program);

// Runs the schedule in control.request once, in detail; sets Control::recording.
void run_replay(Control& control, const Subject& program);

// The control block of this process, or null if it is not searching.
Control* current_control();
void set_current_control(Control* control);
// Something that a user should know, for the summary.
void add_note(Control& control, const std::string& text);

// A function and what it is called with, as the body of a program: call_body, with a Call.
struct Call {
  void (*function)(void*);
  void* context;
};
inline void* call_body(void* argument) {
  const auto* call = static_cast<const Call*>(argument);
  call->function(call->context);
  return nullptr;
}

}  // namespace ricercar::inline worker
