// The supervisor: starts workers, watches them, starts new ones when the program under test has
// broken one, and stops them at a limit or at the user's wish. The search itself happens in the
// worker; what passes between the two is Control. Not thread-safe.
#pragma once

#include <functional>
#include <string>

#include "search/control.h"
#include "supervisor/launch.h"

namespace ricercar::inline supervisor {

// The supervisor's side of the mapping that control.h describes. Only one can exist at a time,
// because the address is fixed. Not thread-safe.
class SharedControl {
 public:
  SharedControl();  // throws UsageError if this machine does not give the address range
  ~SharedControl();
  SharedControl(const SharedControl&) = delete;
  SharedControl& operator=(const SharedControl&) = delete;

  Control& control() const { return *control_; }
  Control* operator->() const { return control_; }
  int descriptor() const { return descriptor_; }

  // Another one may take the address for a while; what this one holds stays as it is.
  void detach();
  void attach();

 private:
  int descriptor_;
  Control* control_;
};

struct Supervision {
  double max_seconds = 0;    // 0: no limit
  double grace_seconds = 2;  // how long a worker may take to end after it was asked to
  bool capture = false;      // keep the end of the program's output instead of passing it on
  // Answers Control::question.
  std::function<void(Control&)> answer;
  // Called while a worker runs, every `tick_ms` at the latest.
  std::function<void(Control&, double seconds)> tick;
  int tick_ms = 200;
  // Called about five times a second while a worker runs.
  std::function<void(const Control&, double seconds)> progress;
};

enum class Ending {
  done,          // look at Control::status
  uncontrolled,  // the program ended without coming to the runtime's start
  gave_up,       // workers died again and again, or one did not end when it was asked to
};

struct Supervised {
  Ending ending = Ending::done;
  std::string message;       // what happened, unless done
  bool interrupted = false;  // the user asked for the end
  bool killed = false;       // and did not want to wait for it
  bool out_of_time = false;  // Supervision::max_seconds were over
  // It was stopped while the strategy was working, which cannot be asked any more.
  bool was_thinking = false;
  double seconds = 0;
  std::string output;          // Supervision::capture: the last 64 KiB
  bool output_is_cut = false;  // there was more before
};

// Runs workers until the search is over. Throws UsageError if the program cannot be started.
Supervised supervise(SharedControl& shared, Launch launch, const ProgramInput& input,
                     const Supervision& supervision);

}  // namespace ricercar::inline supervisor
