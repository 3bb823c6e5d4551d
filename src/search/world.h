// A world: something whose executions are searched. Threads are one (worker/threads_world.h),
// systems of machines another (machine_search/machines_world.h). It can begin an execution again
// and again, run it under a strategy, and tell what happened. Limits, learning, bugs and partners
// are the search's (search/search_loop.h), which knows nothing of threads or machines.
//
// One object for each kernel thread that searches.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/outcome.h"
#include "model/recording.h"
#include "model/trace.h"
#include "search/found_bugs.h"
#include "search/probe_budget.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {

// What is known of an execution when it has ended. Valid until the next one begins.
struct ExecutionEnd {
  const Outcome* outcome = nullptr;
  Trace trace;
  Trace seen = {};                // as the strategy has seen it; empty: the same
  std::uint64_t transitions = 0;  // machines: from one scheduling point to the next
  std::uint32_t tasks = 0;
  bool reached_step_limit = false;  // without a verdict
  bool was_cut = false;             // the strategy ended it, because it was of no use any more
  bool was_stopped = false;   // the search was over before it had come to its end: it says nothing
  bool has_error = false;     // the strategy threw something: see World::error
  bool has_findings = false;  // see World::findings
  bool left_damage = false;   // the process is not fit to run more executions
  bool wants_probe = false;   // see World::probe
};

// An execution whose process ended in the middle of it.
struct LostExecution {
  Finding finding;
  bool was_stopped = false;  // the time was up: nothing is known
};

// How the search goes on after an execution.
enum class Next {
  go_on,
  over,
  new_worker,  // this process is not fit to go on, and another one has to
  lost,        // the process of the execution ended in the middle of it: see World::lost
};

// What an execution has shown about executions in general.
enum class Change {
  nothing,
  points,  // from now on they have more choice points
};

class World {
 public:
  virtual ~World() = default;

  // Another one with the same subject, for a kernel thread of its own. nullptr: there is only one.
  virtual std::unique_ptr<World> another() { return nullptr; }

  // The strategy that was asked for, with what it has to know of the subject. Throws UsageError.
  virtual std::unique_ptr<Strategy> new_strategy() = 0;
  // Where strategies live: true: in memory that outlives this process, because an execution may
  // bring it down.
  virtual bool shares_strategy() const { return false; }
  // The strategy that executions run under from now on.
  virtual void serve(Strategy&) {}
  virtual void begin_search() {}
  virtual void end_search() {}
  // The next execution is the first one of a piece (HasPieces): forgets what it has kept of earlier
  // ones to decide by.
  virtual void begin_piece(bool is_first) { (void)is_first; }
  // What executions have shown about executions in general (see `learned`), for another process;
  // and from another one. Empty: nothing.
  virtual std::string knowledge() { return {}; }
  virtual void adopt(const std::string& knowledge) { (void)knowledge; }

  // What is told of the search besides its executions (Control::not_modelled and the like) is of
  // the single piece that is searched from here on, and in Control at its end.
  virtual void begin_telling() {}
  virtual void end_telling() {}

  // Puts everything back to where an execution begins. False: that is not possible here any more.
  virtual bool restore() = 0;
  // Runs one execution to its end. What the strategy throws ends it, and comes no further.
  virtual ExecutionEnd run(Strategy& strategy) = 0;

  // --- Of the last execution ---

  // What the tasks that had not ended would have done next.
  virtual std::vector<Step> left() const = 0;
  // What the strategy threw in it, for the user.
  virtual std::string error() const = 0;
  // The same for what the strategy threw before or after it.
  virtual std::string explain(const std::exception& error) const { return error.what(); }
  // Tells the strategy what only this world knows (calls, the heap), before Strategy::end.
  virtual void teach(Strategy&, Trace left) { (void)left; }
  // Asked once, when the strategy has learned from it.
  virtual Change learned() { return Change::nothing; }
  // Everything that went wrong, the last thing at the end. In a search among variants also that
  // nothing did, as an outcome that is no bug.
  virtual std::vector<Finding> findings() = 0;
  // Where it went wrong, as places that mean the same in every execution. Asked right after it.
  virtual std::vector<std::uint64_t> places(const Finding& finding) {
    return {finding.outcome.site, finding.outcome.other_site};
  }
  // The finding is not to fail the search, and has been counted.
  virtual bool leaves_out(const Outcome& finding) = 0;
  // The finding in an execution from the start, if this one began in the middle.
  virtual Finding from_start(const Finding& finding) { return finding; }
  // A replay: adds what only this world can tell of it, for a report, in the search's memory.
  virtual void record(Recording&) const {}
  // A number for what happened, whatever the order of independent steps; 0: not told.
  virtual std::uint64_t trace_hash() { return 0; }

  // From now on somebody else decides which executions are looked at, and which circle is probed
  // (search/probe_budget.h); again by itself if the task is not on. What the last one has shown of
  // circles is for him.
  virtual void look_for(ProbeTask task) { (void)task; }
  virtual ProbeFacts circles() { return {}; }
  // A strategy for one more execution, which looks for a livelock that this one came close to.
  virtual std::unique_ptr<Strategy> probe() { return nullptr; }

  // What it has learned, for a search that goes on in another process: search/kept_search.cc.
  virtual bool can_be_kept() const { return false; }
  virtual void save(KeptOut&) const {}
  virtual void load(KeptIn&) {}

  // Does `work`, an execution and what is learned from it, in a child process: Control::forks.
  virtual Next in_child(const std::function<Next()>& work) { return work(); }
  // The execution that was lost with its process, once.
  virtual std::optional<LostExecution> lost() { return std::nullopt; }
};

}  // namespace ricercar::inline search
