// The shared memory of a search: a header that the supervisor (the tool) and the worker (the
// program under test) both understand, followed by the search's heap. It is mapped at one fixed
// address in both, so pointers into it mean the same on both sides, and it outlives a worker that
// crashes.
//
// The supervisor makes the mapping from a memory file, fills in `request`, and starts the worker
// with the environment variable RICERCAR_CONTROL set to the number of the inherited file
// descriptor. One side writes at a time: the worker while it runs, the supervisor before and after
// (except for `stop`, which the supervisor may set at any time).
#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>

#include "disk/log.h"
#include "model/address_range.h"
#include "model/execution_size.h"
#include "model/figures.h"
#include "model/last_chance.h"
#include "model/open_trace.h"
#include "model/options.h"
#include "model/recorded_execution.h"
#include "model/recording.h"
#include "model/stratum.h"
#include "model/worlds.h"
#include "search/debugger_stops.h"
#include "search/place_question.h"
#include "strategy/hapset/learned_sets.h"

namespace ricercar::inline search {

inline constexpr std::uint64_t control_address = 0x200000000000;
inline constexpr std::uint64_t control_size = std::uint64_t{64} << 30;  // reserved, not used up
inline constexpr std::uint64_t control_magic = 0x316c727463726372;      // "rcrctrl1"
inline constexpr const char* control_variable = "RICERCAR_CONTROL";
inline constexpr int signal_of_question = SIGUSR1;

enum class Mode : std::uint8_t { search, replay, node };

// How a process ended in the middle of an execution, as whoever waited for it saw it.
struct ProcessEnd {
  enum Way : std::uint8_t {
    unknown,
    killed,   // by the signal `number`
    left,     // with the status `number`, past every hook
    hung,     // it did not come back within --hang and had to be killed
    stopped,  // the time was up: nothing is known
  };
  Way way = unknown;
  int number = 0;
};

// What a replay has to end with, because the process would be gone otherwise before it could tell:
// `end`, right after so many steps.
struct Doom {
  ProcessEnd end;
  std::uint64_t steps = 0;
};

// A node that runs under gdb, on the request's backend: it stops when it gets the turn for the
// so-many-th time.
struct NodeUnderDebugger {
  static constexpr std::uint32_t none = 0xffffffff;

  std::uint32_t node = none;
  // Where it stops: at one of its turns, or when it has got the turn from others so often.
  std::uint64_t turn = 0;
  std::uint64_t hand_over = 0;
};

// Of a search: not all executions, but the variants of the one in the request. See
// search/variant_search.h.
struct VariantRequest {
  enum Goal : std::uint8_t {
    none,             // all executions
    shortest,         // the same failure with the fewest preemptions, switches and steps
    nearest_passing,  // the execution that parts from it as late as possible and passes
  };
  Goal goal = none;
  OutcomeKind kind = OutcomeKind::ok;  // of the failure
  std::uint64_t steps = 0;             // up to there
  std::uint64_t budget = 0;            // in steps; other costs count as so many

  bool is_asked_for() const { return goal != none; }
};

// What is asked for: the options, and what follows from them and from the program. Strings are
// fixed arrays because this crosses process boundaries.
//
// Of a replay it is the recorded execution, in the shared heap; of a search the one to begin with.
struct Request : SearchOptions, RecordedExecution<Array> {
  Mode mode = Mode::search;
  Backend backend = Backend::fibers;  // threads: replay only
  NodeUnderDebugger debugged;         // replay of a cluster
  bool records = false;               // search: the first execution is kept, whatever it ends with
  // replay: where the decisions end the execution goes on, and what could be decided is recorded.
  // search: every execution begins with the decisions.
  bool goes_on = false;
  bool count_traces = false;           // estimate how many of the executions are different
  std::uint32_t ignored_kinds = 0;     // of bugs, as bits: counted, but no failures
  std::uint32_t suppressed_kinds = 0;  // of bugs, as bits: the tool is asked about them
  bool has_unseen_code = false;        // see Resources in strategy/registry.h
  std::uint32_t check_number = 0;      // replay of ricercar::check: which call in the process
  std::uint32_t jobs = 1;              // search: processes that take part, where that can be
  VariantRequest variants;             // search
  bool in_pieces = false;              // search: the tool hands out pieces, see search/mailbox.h
  std::int32_t processor = -1;         // of a cluster: where its processes run; -1: anywhere
  char scratch_file[1024] = "";        // for what does not fit into `memory`
  Doom doom;                           // replay; `unknown`: none
  RecordedPart part;                   // replay
  // What an earlier search has learned, in the shared heap: see strategy/hapset/learned_sets.h.
  Array<std::uint64_t> learned_places;
  Array<std::uint32_t> learned_ends;
  Array<LearnedPair> learned_pairs;
  // What the priorities method= and var= name, as addresses in the program's file; in the shared
  // heap.
  Array<AddressRange> functions;
  Array<AddressRange> variables;
};
static_assert(std::is_trivially_copyable_v<Request>);

// A bug that the search found. A singly linked list in the shared heap, oldest first.
struct FoundBug : RecordedExecution<Array> {
  FoundBug* next = nullptr;
  RecordedOutcome outcome = {};
  std::uint64_t execution = 0;  // counted from 1
  std::uint64_t steps = 0;
  std::uint64_t trace_hash = 0;
  bool is_rejected = false;  // it did not come again when it was replayed: no bug
};

// What was found and is not to fail the search. A singly linked list, oldest first.
struct IgnoredFinding {
  IgnoredFinding* next;
  RecordedOutcome outcome;
  std::uint64_t execution;    // the first one with it, counted from 1
  std::uint64_t times;        // how often it was met
  std::uint32_t suppression;  // 0: by its kind; n: by the n-th suppression
};

// What passes between the tool and the worker so that a search can go on in another process: see
// search/kept_search.cc. The tool looks at `kept` only when `number` has changed and `is_wanted` is
// not set; the worker changes it only when `is_wanted` is, or at the end.
struct Keeping {
  std::atomic<bool> is_wanted = false;    // the tool: between the next two executions
  bool is_on = false;                     // the tool asks for it now and then
  std::atomic<std::uint64_t> number = 0;  // so often the worker has done it
  Array<char> kept;                       // the last time
  std::uint64_t executions = 0;           // and how many there had been
  bool has_ended = false;                 // and whether the search had ended with a bug
  Array<char> resumed;                    // what to begin with; empty: with nothing
};

// What a search of nodes has seen, for what is said at its end; a part of it, of that part.
struct ClusterFacts {
  bool is_known = false;     // somebody has searched
  bool has_threads = false;  // some node has several
  bool was_fair = false;     // some had to go first in an execution
  bool was_unready = false;  // a node could be reached no more before the clients began
  std::uint64_t meets = 0;   // nodes that do not just begin and end, as bits
  char unjudged[2048] = "";  // properties that never had all that they ask for: a line each
};

// The piece that a worker searches, if the tool hands them out.
struct PieceProgress {
  bool is_taken = false;
  bool found_end = false;      // a bug that ends the search
  bool has_learned = false;    // executions have more choice points from now on
  bool needs_process = false;  // this one is not fit for another piece
  std::uint64_t number = 0;
  SearchFigures before;  // when it was taken
  // Of a piece whose executions count one by one (ExecutionPlan):
  bool is_of_runs = false;
  bool is_run_open = false;  // an execution has begun, and what it has shown was not put aside
  bool is_renewed = false;   // the process of this execution is not that of the next one
  SearchFigures before_run;
};

enum class Status : std::uint8_t {
  idle,  // the worker has not come to its main function yet
  running,
  finished,  // the search ended by itself: see `complete`, `coverage`
  stopped,   // a limit or `stop` ended it
  failed,    // a user's mistake: `error` says which
};

// The figures come first: every execution touches them, see below.
struct Control : SearchFigures {
  std::uint64_t magic = control_magic;
  std::uint64_t size = control_size;
  std::uint64_t runtime_address = 0;  // where the worker's runtime is loaded; must stay the same

  // What every execution touches comes first, on few pages: a forked child has to fetch each of
  // them again.
  std::atomic<bool> stop = false;       // asks the worker to end soon (Ctrl-C, time limit)
  std::atomic<bool> ends_soon = false;  // the same, but not in the middle of an execution
  Keeping keeping;
  Status status = Status::idle;
  WorldKind world_kind = WorldKind::threads;  // the worker knows it
  bool whole_program = true;
  bool is_constructing = false;  // the worker's static constructors run
  bool execution_open = false;   // a worker that died here died inside an execution
  bool is_probe = false;         // and the strategy had not asked for it
  bool begins_piece = false;     // that execution is the first one of a piece
  bool begins_anew = false;      // the strategy has learned from what was not deterministic
  void* search = nullptr;        // the worker's own: the strategy and what belongs to it
  void* world = nullptr;         // likewise: what the world has learned
  OpenTrace open;                // what that execution has done so far
  ProcessEnd end;                // of the last worker, if it died so
  FoundBug* first_bug = nullptr;
  FoundBug* last_bug = nullptr;
  IgnoredFinding* first_ignored = nullptr;
  Array<RecordedModule> modules;          // where the program is loaded, if something was ignored
  const PredecessorSets* sets = nullptr;  // what the strategy has learned, if it is of that kind
  ExecutionSize size_before = {};         // among variants: of the recorded execution
  ExecutionSize size_now = {};            // and of the best one, which is the bug
  LastChance last_chance = {};            // of a search for the nearest one that passes
  Recording* recording = nullptr;         // replay: what happened
  DiskLog disk;                           // what the running execution has done to files
  std::int32_t guardian = 0;              // of a cluster: who puts files back behind the worker
  int tool = 0;  // the process that answers questions, after a signal_of_question
  std::uint32_t stratum_count = 0;
  PieceProgress piece;
  ClusterFacts cluster;
  bool covers_all = false;  // all that the strategy promises to cover, whatever else is missing
  DebuggerStops stops;      // a replay under gdb: where to raise SIGTRAP
  Request request;

  PlaceQuestion question;  // from the worker to the tool
  static constexpr std::uint32_t most_strata = 100;
  Stratum strata[most_strata];  // the last ones, if there are more
  char coverage[1024] = "";
  char progress[256] = "";  // Strategy::progress
  char error[2048] = "";
  char fault[512] = "";            // our own: an internal check of the worker failed
  char note[2048] = "";            // what a user should know: why forks are needed, ...
  char late_libraries[2048] = "";  // loaded while the program ran: paths, a line each
  char not_modelled[4096] = "";    // see threads/memory/not_modelled.h: a line each

  // It is time. A search that is to go on another day comes to the end of its execution first,
  // which could not be run again otherwise; who waits for it in vain sets `stop`.
  void ask_to_stop() { (keeping.is_on ? ends_soon : stop) = true; }

  // The search's heap begins behind this header; see base/search_heap.h.
  std::uint64_t heap_start = 0;
};

// Exit codes of a worker that the supervisor understands.
inline constexpr int worker_done = 0;      // look at Control::status
inline constexpr int worker_restart = 81;  // the program broke this process; start another one

}  // namespace ricercar::inline search
