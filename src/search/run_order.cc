#include "search/run_order.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "search/coverage_text.h"

namespace ricercar::inline search {
namespace {

constexpr std::uint64_t executions_of_piece = 256;  // at most

}  // namespace

RunOrder::RunOrder(Control& whole, MakeStrategy make_strategy, std::size_t most_ahead)
    : whole_(whole),
      make_strategy_(std::move(make_strategy)),
      most_ahead_(most_ahead),
      strategy_(make_strategy_()) {
  whole_.status = Status::running;
}

// --- Handing out ---

std::optional<PieceTask> RunOrder::next() {
  if (is_over_) return std::nullopt;
  if (!given_back_.empty()) {
    const std::uint64_t number = *given_back_.begin();
    given_back_.erase(given_back_.begin());
    return tasks_.at(number).task;
  }
  const std::uint64_t number = next_number_;
  std::optional<std::string> piece = next_piece(number);
  if (!piece) return std::nullopt;
  ++next_number_;
  PieceTask task{number, limit() == 0 ? 0 : limit() - whole_.executions, std::move(*piece),
                 knowledge_, probe_task()};
  const bool is_probe = probe_ && probe_->number == number;
  if (is_probe) {
    task.most = 1;
    task.knowledge = probe_->knowledge;
  }
  tasks_[number] = {task, renewals_};
  return task;
}

std::optional<std::string> RunOrder::next_piece(std::uint64_t number) {
  if (!probe_ || probe_->number != 0) return plan().next_runs(number, !may_go_ahead());
  probe_->number = number;
  return probe_->piece;
}

// What is behind the limit is not worth to be run.
bool RunOrder::may_go_ahead() {
  const std::uint64_t kept = plan().kept();
  if (limit() != 0 && whole_.executions + kept >= limit()) return false;
  return tasks_.size() + kept / executions_of_piece < most_ahead_;
}

std::string RunOrder::probe_task() const {
  ProbeTask task;
  task.is_on = true;
  task.is_over = budget_.is_over();
  task.shortest = budget_.shortest;
  if (probe_ && probe_->number == next_number_ - 1) {
    task.wanted = probe_->circle;
  } else if (!task.is_over) {
    task.known.assign(circles_.begin(), circles_.end());
  }
  return task.to_bytes();
}

void RunOrder::give_back(std::uint64_t number) {
  if (tasks_.count(number) != 0) given_back_.insert(number);
}

// --- What comes back ---

void RunOrder::done(std::uint64_t number, PieceResult result) {
  given_back_.erase(number);
  const auto found = tasks_.find(number);
  if (found == tasks_.end()) return;
  const Task task = std::move(found->second);
  tasks_.erase(found);
  if (probe_ && probe_->number == number) {
    end_probe(result);
  } else {
    executions_done_ += result.figures.executions;
    keep_runs(number, task, result);
  }
  count_all();
}

// The execution was run again, and then the circle. Without that the execution did not come to its
// end as before.
void RunOrder::end_probe(const PieceResult& result) {
  if (result.was_cut) {
    probe_->number = 0;
  } else {
    count_probe(result.runs.size() > 1 ? run_result_from(result.runs[1]) : RunResult());
  }
}

void RunOrder::keep_runs(std::uint64_t number, const Task& task, PieceResult& result) {
  std::vector<std::string>& runs = result.end.runs;
  runs.resize(std::min(runs.size(), result.runs.size()));
  if (runs.empty() && result.has_failed) {
    copy_text(whole_.error, result.texts.error);
    return end(Status::failed);
  }
  const std::uint64_t first = next_run_;
  next_run_ += runs.size();
  for (const std::uint64_t kept : plan().came_back(number, runs, first))
    runs_.emplace(kept, Run{run_result_from(result.runs[kept - first]), task.renewals});
}

void RunOrder::set_aside(std::uint64_t number) {
  given_back_.erase(number);
  if (tasks_.erase(number) == 0) return;
  was_set_aside_ = true;
  stop();
}

// --- Counting ---

void RunOrder::count_all() {
  while (!is_over_ && !probe_) {
    if (plan().has_ended()) return end(Status::finished);
    const std::optional<std::uint64_t> turn = plan().turn();
    if (!turn) break;
    if (is_enough(runs_.at(*turn))) {
      count(*turn);
    } else {
      plan().run_turn_again();
    }
    drop_useless();
  }
}

// Unless one process would look at it and nobody has, because it was not known to be long.
bool RunOrder::is_enough(const Run& run) const {
  ProbeBudget budget = budget_;
  const ProbeFacts& circles = run.result.circles;
  const std::uint64_t all = whole_.steps + run.result.result.figures.steps;
  if (circles.was_looked_at && run.renewals == renewals_) return true;
  return circles.steps == 0 || !budget.may_look(circles.steps, all);
}

void RunOrder::count(std::uint64_t number) {
  const auto found = runs_.find(number);
  RunResult run = std::move(found->second.result);
  runs_.erase(found);
  if (run.result.has_failed) {
    add(run);
    return end(Status::failed);
  }
  std::string piece = run.circles.circles.empty() ? std::string() : plan().piece_of_turn();
  plan().count_turn();
  add(run);
  const std::string knowledge = knowledge_;
  if (run.result.knowledge) {
    knowledge_ = std::move(*run.result.knowledge);
    strategy_->as<CanRestart>()->restart();
  }
  if (run.result.found_end) return end(Status::stopped);
  if (const std::optional<std::uint64_t> circle = circle_to_probe(run)) {
    probe_ = Probe{std::move(piece), *circle, knowledge};
  } else if (is_at_limit()) {
    end(Status::stopped);
  }
}

// As ThreadsWorld::probe.
std::optional<std::uint64_t> RunOrder::circle_to_probe(const RunResult& run) {
  const std::uint64_t steps = run.circles.steps;
  std::optional<std::uint64_t> circle;
  if (steps != 0 && budget_.may_look(steps, whole_.steps)) {
    budget_.looked_at += steps;
    for (const std::uint64_t each : run.circles.circles) {
      if (circle || !circles_.insert(each).second) continue;
      circle = each;
      ++budget_.probes;
    }
  }
  return circle;
}

void RunOrder::add(const RunResult& run) {
  const bool is_other_process =
      run.is_renewed && !(run.result.figures.forks && std::as_const(whole_).forks);
  merge_piece(whole_, run.result);
  for (const std::uint64_t hash : run.result.sampled) traces_.add(hash);
  if (!is_other_process) return;
  budget_ = {};
  circles_.clear();
  ++renewals_;
}

void RunOrder::count_probe(const RunResult& run) {
  probe_.reset();
  add(run);
  if (run.result.has_failed) return end(Status::failed);
  if (run.result.found_end || is_at_limit()) end(Status::stopped);
}

// Nobody has to bring back what is not awaited any more.
void RunOrder::drop_useless() {
  for (const std::uint64_t run : plan().take_useless()) runs_.erase(run);
  std::erase_if(tasks_, [this](const auto& task) {
    const bool is_probe = probe_ && probe_->number == task.first;
    return !is_probe && !plan().is_awaited(task.first);
  });
  std::erase_if(given_back_, [this](std::uint64_t number) { return tasks_.count(number) == 0; });
}

// --- The end ---

void RunOrder::end(Status status) {
  is_over_ = true;
  tasks_.clear();
  given_back_.clear();
  runs_.clear();
  update();
  whole_.status = status;
}

// All that could be counted was. A bug that was found ahead is worth to be told.
void RunOrder::stop() {
  if (is_over_) return;
  std::optional<std::uint64_t> first;
  for (const auto& [number, run] : runs_) {
    const bool is_it = run.result.result.found_end && !run.result.result.has_failed;
    if (is_it) first = std::min(number, first.value_or(number));
  }
  if (first && !is_at_limit()) add(runs_.at(*first).result);
  end(Status::stopped);
}

void RunOrder::update() {
  describe_coverage(whole_, *strategy_);
  whole_.complete = whole_.complete && !was_set_aside_;
  if (whole_.request.count_traces) whole_.distinct_traces = traces_.estimate();
}

}  // namespace ricercar::inline search
