// One search or one replay from the outside: sets up the shared memory, runs the workers and takes
// the results home. Only one session can be alive at a time, because the mapping has a fixed
// address.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/checkpoint.h"
#include "cli/program.h"
#include "cli/suppressions.h"
#include "model/schedule.h"
#include "nodes/folder_copies.h"
#include "pool/address.h"
#include "pool/leader.h"
#include "pool/worker_link.h"
#include "report/coverage_sets.h"
#include "report/summary.h"
#include "supervisor/supervisor.h"

namespace ricercar::inline cli {

// As Request::jobs: the search begins with one, and gets as many as there is room for if it takes a
// while.
inline constexpr std::uint32_t as_many_jobs_as_can_be = 0;

struct SearchResult {
  Supervised supervised;
  Status status = Status::idle;
  RunSummary summary;          // without bugs, and without what is known of the program's file
  std::string error;           // of the search, if it failed
  std::string not_modelled;    // what the program does and the search leaves out, a line each
  std::string late_libraries;  // that the program loaded while it ran, a line each
  ExecutionSize size_before;   // of a search among variants, as in Control
  ExecutionSize size_now;      // likewise
  LastChance last_chance;      // likewise
  std::vector<Schedule> bugs;  // at most `saved_bugs_limit`, oldest first
  std::optional<CoverageSets> sets;  // of a strategy that learns
};

inline constexpr std::size_t saved_bugs_limit = 100;

using ShowProgress = std::function<void(const Control&, double seconds)>;

class PlaceNames;

// What a worker of a pool has done.
struct Worked {
  Supervised supervised;
  std::uint64_t pieces = 0;
  std::uint64_t executions = 0;
};

// A search that can go on after it has found a bug: replays are possible in between.
class Search {
 public:
  // Goes on from `sets`, if there are any. Throws UsageError if the strategy names functions or
  // variables that the program does not have.
  Search(const Program& program, const Request& request, const ProgramInput& input,
         const CoverageSets* sets = nullptr, Suppressions suppressions = {});
  // The execution to begin with.
  void begin_with(const Schedule& schedule);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // It is kept in a file from time to time, and goes on from what `file` has read, if anything.
  void keep_in(Checkpoint& file);
  // Others search it, on any machine, if it can be cut into pieces.
  void share_in(const PoolAddress& address, SayOfPool say);
  // Instead of run(): takes part in a search that is in a pool.
  Worked work(WorkerLink& link, std::uint32_t jobs);
  // Until it is over or, if it does not keep going, until it finds a bug.
  SearchResult run(const ShowProgress& progress);
  // The bug of this index in SearchResult::bugs did not come again: it is none. If the search goes
  // on, its strategy begins anew, because it has learned from what is not so.
  void reject(std::size_t bug) { rejected_.push_back(bug); }
  // It ended because of a bug, or has found several, and would explore more if one were none.
  bool can_go_on() const { return can_go_on_; }

 private:
  void mark_rejected();
  void ask_for(Request& asked) const;
  Supervised supervise_all(const ShowProgress& progress);
  Supervised supervise_one(const ShowProgress& progress);
  Supervised supervise_jobs(const ShowProgress& progress);
  Supervised supervise_pool(const ShowProgress& progress);
  bool is_worth_sharing(const Control& control, double seconds) const;
  bool gets_others(const Control& control, double seconds, pid_t worker);
  Supervised begin_alone(const ShowProgress& progress);
  void search_alone(std::string why);
  std::string why_alone() const;
  void begin_to_share();
  void end_sharing(bool tells);
  JobsPlan plan_for(std::uint32_t jobs) const;
  Supervised supervise_workers(SharedControl& shared, const ProgramInput& input,
                               Supervision supervision) const;
  SearchResult result_of(Supervised supervised);
  double seconds_of(const Supervised& supervised) const;
  RunSummary summary_of(const Supervised& supervised) const;
  bool tells_why_one_job(const Supervised& supervised) const;
  std::vector<std::string> notes(const Supervised& supervised) const;
  bool would_go_on(const Supervised& supervised) const;

  const Program& program_;
  Request request_;
  const ProgramInput& input_;
  const CoverageSets* sets_;
  const Suppressions suppressions_;
  SharedControl shared_;
  std::unique_ptr<PlaceNames> places_;
  std::vector<std::size_t> rejected_;
  bool can_go_on_ = false;
  Checkpoint* checkpoint_ = nullptr;
  std::uint32_t jobs_ = 1;         // processes that search
  bool may_get_others_ = false;    // one searches, and when it has taken a while, as many as can be
  bool has_small_pieces_ = false;  // they are hardly longer than it takes to hand them out
  double seconds_before_ = 0;      // of the limit, taken by a search that begins anew
  std::string why_one_job_ = {};   // where there could be several
  std::unique_ptr<SharedCluster> cluster_ = {};  // while several search one
  std::string why_not_copied_ = {};              // the folders of its nodes
  std::optional<PoolAddress> pool_ = {};
  SayOfPool say_ = {};  // nothing: no pool was asked for
  std::vector<std::string> pool_notes_ = {};
};

// How much slower than in the search an execution may be while it is recorded.
inline constexpr double recording_factor = 5;

struct ReplayOptions {
  Backend backend = Backend::fibers;
  enum { pass_on, capture, discard } output = capture;
  double max_seconds = 0;    // 0: no limit
  bool is_explained = true;  // what happened is to be shown, not only how it ended
  NodeUnderDebugger debugged = {};
  bool goes_on = false;     // see Request
  std::string node_output;  // a folder for what each node of a cluster writes; empty: none
};

// A finished replay. The recording lives as long as this object.
class FinishedReplay {
 public:
  FinishedReplay(const Program& program, const Schedule& schedule, const ProgramInput& input,
                 const ReplayOptions& options);

  const Program& program() const { return program_; }
  const Supervised& supervised() const { return supervised_; }
  const Control& control() const { return shared_->control(); }
  const Recording* recording() const { return shared_->control().recording; }
  // It did not leave the schedule, and ended as the schedule says.
  bool shows_the_bug() const;
  bool shows_the_same_kind() const;
  bool shows_the_same_trace() const;  // and the same kind

 private:
  void run(const ProgramInput& input, const ReplayOptions& options);
  bool is_incomplete(const ReplayOptions& options) const;
  void run_again(const ProgramInput& input, const ReplayOptions& options);
  void run_to_lost_end(const ProgramInput& input, const ReplayOptions& options);

  const Program& program_;
  const Schedule& schedule_;
  Doom doom_;
  RecordedPart part_;
  bool has_shown_bug_ = false;  // a replay that was run again, because it had not recorded all
  bool has_shown_trace_ = false;
  std::optional<std::uint64_t> lost_hash_;  // of the trace of a process that was lost
  std::unique_ptr<SharedControl> shared_;
  Supervised supervised_;
};

// Replays a cluster with one of its nodes under gdb, which stops when it has got the turn from
// others for the `hand_over`-th time; 0: at its last turn. Throws UsageError if that cannot be.
void debug_node(const Program& program, const Schedule& schedule, std::uint32_t node,
                std::uint64_t hand_over);

// Becomes gdb, with the program ready to run to the last switch before the bug.
[[noreturn]] void debug_replay(const Program& program, const Schedule& schedule);

}  // namespace ricercar::inline cli
