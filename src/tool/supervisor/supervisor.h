// The supervisor: starts workers, watches them, starts new ones when the program under test has
// broken one, and stops them at a limit or at the user's wish. The search itself happens in the
// worker; what passes between the two is Control. Not thread-safe.
#pragma once

#include <functional>
#include <string>

#include "search/control.h"
#include "search/piece_order.h"
#include "search/piece_source.h"
#include "supervisor/launch.h"

namespace ricercar::inline supervisor {

// A file of memory for the mapping that control.h describes. Throws UsageError if there is no room.
int make_control_file();

// The supervisor's side of the mapping that control.h describes. Only one can exist at a time,
// because the address is fixed. Not thread-safe.
class SharedControl {
 public:
  SharedControl();  // throws UsageError if this machine does not give the address range
  explicit SharedControl(int file);  // takes it over: make_control_file
  ~SharedControl();
  SharedControl(const SharedControl&) = delete;
  SharedControl& operator=(const SharedControl&) = delete;

  Control& control() const { return *control_; }
  Control* operator->() const { return control_; }
  int descriptor() const { return descriptor_; }

  // Another one may take the address for a while; what this one holds stays as it is.
  void detach();
  void attach();
  // As if it were new.
  void reset();

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
  // Likewise. True: nobody wants the result any more, and the worker is killed.
  std::function<bool(const Control&, double seconds, pid_t worker)> is_enough;
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
  bool was_enough = false;   // Supervision::is_enough has ended it
  // It was stopped while the strategy was working, which cannot be asked any more.
  bool was_thinking = false;
  double seconds = 0;
  std::string output;          // Supervision::capture: the last 64 KiB
  bool output_is_cut = false;  // there was more before
};

// Runs workers until the search is over. Throws UsageError if the program cannot be started.
Supervised supervise(SharedControl& shared, Launch launch, const ProgramInput& input,
                     const Supervision& supervision);

// Of a cluster: files are as they were when it has ended.
void await_guardian(Control& control);

// How many processes like `worker`, itself included, this machine has processors and free memory
// for; at most `most`, at least 1. What a control group allows is all there is.
std::uint32_t jobs_with_room(std::uint32_t most, pid_t worker);

// --- One search in several processes ---
//
// The pieces that the strategy is cut into (search/piece_order.h) are handed to workers. Each
// worker has a supervisor of its own, a child of this process, which watches it as if it were the
// only one. What passes between this process and a worker is in its mailbox (search/mailbox.h). The
// result is the same with any number of workers.

struct JobsPlan {
  std::uint32_t jobs = 1;  // how many workers there may be
  WorldKind world = WorldKind::threads;
  double max_seconds = 0;  // 0: no limit
  MakeStrategy make_strategy;
  // In a child process: fills in what the worker is asked for, and runs workers until one has
  // ended.
  // The processor is for those who keep to one.
  std::function<Supervised(SharedControl&, int processor)> supervise;
  std::function<void(const Control&, double seconds)> progress;  // as Supervision::progress
};

struct JobsResult {
  Supervised supervised;
  // The program does what only one process may do at a time: nothing of this counts, and one worker
  // has to search alone.
  bool must_be_alone = false;
};

// The result is in `whole`, whose request says what is asked for. Throws UsageError.
JobsResult run_jobs(SharedControl& whole, const JobsPlan& plan);
// The same with pieces from elsewhere: JobsPlan::make_strategy is not needed.
JobsResult run_jobs(SharedControl& whole, const JobsPlan& plan, PieceSource& pieces);

}  // namespace ricercar::inline supervisor
