// The search loop, for every world: strategies on all cores, limits, what is learned, bugs. It runs
// inside of the process that runs the program under test. What passes to the outside is Control.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/census.h"
#include "base/clock.h"
#include "base/distinct.h"
#include "base/search_heap.h"
#include "search/control.h"
#include "search/mailbox.h"
#include "search/piece_order.h"
#include "search/variant_search.h"
#include "search/world.h"

namespace ricercar::inline search {

// What a process leaves to its successor, in the search's memory.
struct SearchState {
  std::unique_ptr<Strategy> strategy;
  DistinctCounter traces;
  Census sampled;                               // traces of a search that samples
  std::vector<std::uint64_t> sampled_in_piece;  // the same, of the piece that is searched
  // Of a piece whose executions count one by one: see RunResult.
  std::vector<std::string> runs;
  ProbeFacts circles;
  PieceTexts texts;        // that were told
  std::string probes;      // see ProbeTask
  bool is_open = false;    // an execution has begun, and the strategy has not learned from it
  bool has_ended = false;  // with a bug
};

// --- To go on in another process (kept_search.cc) ---

// Why a search cannot be written down, for the user; empty: it can.
std::string why_not_kept(const Control& control, const Strategy& strategy, const World& world);
// Writes it down, between two executions. Sets Control::keeping.kept, in the shared heap.
void keep_search(Control& control, SearchState& state, World& world);
// Makes the search what it was, from Control::keeping.resumed. The strategy has just been made, and
// what it allocates is its own. Throws UsageError if that is not possible.
void resume_search(Control& control, SearchState& state, World& world);

// A worker's side of a search that is cut into pieces: takes a piece from the tool, lets it be
// searched as if it were all there is, and tells what was found (search/piece_order.h).
class PieceWork {
 public:
  PieceWork(Control& control, World& world) : control_(control), world_(world) {}

  // Waits for the next piece and takes it up. False: there will be none.
  bool take();
  // Tells what became of it.
  void give();

  // Of a piece whose executions count one by one: a new one begins, and what the last one has shown
  // is put aside; what it has shown of circles; and another process goes on.
  void begin_run();
  void note_circles();
  void note_renewal() { control_.piece.is_renewed = control_.piece.is_run_open; }

 private:
  SearchState& state() { return *static_cast<SearchState*>(control_.search); }
  HasPieces& pieces() { return *state().strategy->as<HasPieces>(); }
  bool receive(std::string& message);
  void send(const std::string& message);
  void ring() const;
  void begin(const PieceTask& task);
  void forget_finds();
  void end_run();
  PieceResult run_result() const;

  Control& control_;
  World& world_;
  Mailbox& mailbox_ = mailbox_of_worker();
};

class SearchLoop {
 public:
  explicit SearchLoop(Control& control) : control_(control) {}

  // Searches until it is over; sets Control::status and what belongs to it. False: this process is
  // not fit to go on, and another one has to (Control tells it how).
  bool run(World& world);

  // Frees what the strategy has learned: nobody will go on from there.
  void forget();

  // Set when the search is over, whoever noticed it.
  const std::atomic<bool>& is_over() const { return is_over_; }
  // Ends the search if its time is up or somebody has asked for it; from any thread.
  void keep_time();

 private:
  bool prepare();
  std::unique_ptr<Strategy> new_strategy();
  void resume_or_refuse();
  void keep();
  Next run_executions();
  bool must_be_alone();
  bool run_with_partners();
  Next run_alone();
  Next run_pieces(Next next);
  template <typename Work>
  Next in_place(Work work);
  void work(World& world, Strategy& strategy);
  Next iteration(World& world, Strategy& strategy);
  bool begin(World& world, Strategy& strategy);
  bool is_of_runs() const { return control_.piece.is_taken && control_.piece.is_of_runs; }
  bool wants_circles(Next next) const;
  Next look_for_circles(Next next);
  Next probe();
  Next run_probe(Strategy& probe);
  Next learn(World& world, Strategy& strategy, const ExecutionEnd& end);
  void teach(World& world, Strategy& strategy, const ExecutionEnd& end, std::string& error);
  bool count(World& world, Strategy& strategy, const ExecutionEnd& end);
  void count_trace(World& world, Strategy& strategy);
  std::uint64_t number_of_sample(const Strategy& strategy) const;
  void follow(Change change);
  void begin_again();
  void replace_strategy();
  bool report_all(World& world);
  bool report(World& world, const Finding& finding);
  void judge(World& world, const Finding& finding);
  Next close_lost_execution(const LostExecution& lost);
  void learn_from_lost(const Finding& finding);
  bool may_go_on();
  bool is_at_limit() const {
    const std::uint64_t most = control_.request.max_executions;
    return most != 0 && control_.executions >= most;
  }
  Next finish(Status status);
  Next finish_now(Status status);
  Next fail(const std::string& message);
  void publish();
  void update();
  double seconds() const { return now_seconds() - start_; }

  // Asked for each time: a child that ran an execution may have made another one.
  SearchState& state() { return *static_cast<SearchState*>(control_.search); }
  Strategy& strategy() { return *state().strategy; }
  // The strategy, if this is a search among variants; otherwise null.
  VariantSearch* variants() {
    const bool is_one = control_.request.variants.is_asked_for();
    return is_one ? static_cast<VariantSearch*>(state().strategy.get()) : nullptr;
  }
  // What a strategy allocates while this exists is part of the search's memory.
  std::optional<SharedAllocation> strategy_memory() const;
  std::unique_lock<std::mutex> lock();

  Control& control_;
  World* world_ = nullptr;  // that of the kernel thread which began
  const double start_ = now_seconds();
  bool shares_strategy_ = false;  // see World
  bool has_partners_ = false;
  bool wants_probe_ = false;  // the last execution may have come close to a livelock
  std::mutex mutex_;          // guards all below, and control_, if there are other threads
  std::atomic<bool> is_over_ = false;
  Status status_ = Status::finished;
  double next_update_ = 0;
};

}  // namespace ricercar::inline search
