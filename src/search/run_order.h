// A search whose executions count one by one (ExecutionPlan in strategy/capabilities.h), as the one
// sees it who hands them out. They are run ahead of their turn, in pieces, by whoever has time;
// when its turn comes an execution counts, or is run again if it was run with too little knowledge.
// So the result is that of one process: what comes after the first bug, or after the limit of
// executions, does not count.
//
// One process also looks for livelocks: now and then it goes round a circle of an execution for as
// long as it can. Which executions it looks at depends on those before, so that is decided here,
// and a circle is probed by a piece of its own, for which everything else waits.
//
// It knows nothing of processes. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/distinct.h"
#include "search/control.h"
#include "search/piece_source.h"
#include "search/probe_budget.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {

class RunOrder final : public WholeSearch {
 public:
  // See make_whole_search.
  RunOrder(Control& whole, MakeStrategy make_strategy, std::size_t most_ahead);

  std::optional<PieceTask> next() override;
  void done(std::uint64_t number, PieceResult result) override;
  void give_back(std::uint64_t number) override;
  bool is_dropped(std::uint64_t number) const override { return tasks_.count(number) == 0; }
  // Nobody knows which of its executions it is, so the search ends there.
  void set_aside(std::uint64_t number) override;

  bool is_over() const override { return is_over_; }
  void stop() override;
  void update() override;

  std::size_t taken() const override { return tasks_.size() - given_back_.size(); }
  void let_wait(std::size_t most_ahead) override { most_ahead_ = most_ahead; }
  std::uint64_t executions_in_vain() const override { return executions_done_ - whole_.executions; }

 private:
  // A circle that one process would probe now.
  struct Probe {
    std::string piece;
    std::uint64_t circle;
    std::string knowledge;     // the execution was run with
    std::uint64_t number = 0;  // of the piece; 0: it was not handed out
  };

  struct Task {
    PieceTask task;
    std::uint64_t renewals;  // of the process, by then
  };
  struct Run {
    RunResult result;
    std::uint64_t renewals;  // when it was handed out
  };

  ExecutionPlan& plan() { return *strategy_->as<HasPieces>()->execution_plan(); }
  std::uint64_t limit() const { return whole_.request.max_executions; }
  bool is_at_limit() const { return limit() != 0 && whole_.executions >= limit(); }
  bool may_go_ahead();
  std::optional<std::string> next_piece(std::uint64_t number);
  std::string probe_task() const;
  void keep_runs(std::uint64_t number, const Task& task, PieceResult& result);
  void end_probe(const PieceResult& result);
  void count_all();
  bool is_enough(const Run& run) const;
  void count(std::uint64_t number);
  std::optional<std::uint64_t> circle_to_probe(const RunResult& run);
  void add(const RunResult& run);
  void count_probe(const RunResult& run);
  void drop_useless();
  void end(Status status);

  Control& whole_;
  const MakeStrategy make_strategy_;
  std::size_t most_ahead_;
  std::unique_ptr<Strategy> strategy_;
  std::unordered_map<std::uint64_t, Task> tasks_;  // that are out, by number
  std::set<std::uint64_t> given_back_;             // of these: nobody has them
  std::unordered_map<std::uint64_t, Run> runs_;    // that wait for their turn
  std::uint64_t next_number_ = 1;
  std::uint64_t next_run_ = 1;
  std::uint64_t executions_done_ = 0;
  std::string knowledge_;
  DistinctCounter traces_;
  ProbeBudget budget_;
  std::set<std::uint64_t> circles_;  // that were found
  std::uint64_t renewals_ = 0;       // of the one process: it has forgotten these
  std::optional<Probe> probe_;       // everything else waits for it
  bool was_set_aside_ = false;
  bool is_over_ = false;
};

}  // namespace ricercar::inline search
