#include "cli/exploration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "cli/bug_report.h"
#include "model/decision_check.h"
#include "report/build.h"
#include "report/html.h"
#include "report/style.h"

namespace ricercar::inline cli {
namespace {

constexpr std::uint64_t most_searched = 5000;  // executions
constexpr double most_search_seconds = 20;

}  // namespace

Exploration::Exploration(const Program& program, const ScheduleOptions& options, std::string out)
    : program_(program), input_(STDIN_FILENO), out_(std::move(out)) {
  static_cast<ScheduleOptions&>(schedule_) = options;
  schedule_.strategy = "explore";
  schedule_.program = program.path;
  schedule_.arguments = program.arguments;
  schedule_.build_id = build_of(program);
}

const std::vector<std::string>& Exploration::strategies() {
  static const std::vector<std::string> all = {"random", "pos", "pct:depth=3", "dfs"};
  return all;
}

Report Exploration::run() {
  schedule_.checks.assign(schedule_.decisions.size(), unchecked);
  schedule_.operations.clear();
  ReplayOptions options;
  options.goes_on = true;
  const FinishedReplay replay(program_, schedule_, input_, options);
  const Recording* recording = replay.recording();
  if (recording == nullptr || recording->divergence.diverged) {
    throw UsageError(
        "the program did not follow the decisions: it depends on something that "
        "Ricercar does not control, or has crashed before it could tell");
  }
  schedule_.kind = info(recording->outcome.kind).name;
  schedule_.message = recording->outcome.message;
  schedule_.steps = recording->steps;
  schedule_.trace_hash = recording->trace_hash;
  take_points(*recording);
  Report report = report_of(replay, schedule_, "", false, true);
  add_sources(report);
  return report;
}

void Exploration::take_points(const Recording& recording) {
  points_.clear();
  for (const RecordedChoice& choice : recording.choices) {
    Point& point = points_.emplace_back();
    for (std::uint32_t i = 0; i < choice.count; ++i) {
      const std::uint32_t task = index(recording.options[choice.first + i].task);
      point.options.push_back(static_cast<std::uint16_t>(choice.is_value ? i : task));
    }
    point.decision = point.options[choice.chosen];
    const TaskOperation& chosen = recording.options[choice.first + choice.chosen];
    point.check = decision_check(chosen.operation.kind, chosen.task, choice.count);
  }
}

nlohmann::ordered_json Exploration::page(const std::string& token) {
  const Report report = run();
  nlohmann::ordered_json data = page_json(report);
  if (report.outcome == OutcomeKind::ok) data["headline"] = "nothing goes wrong";
  data["origin"] =
      fmt::format("{} of {} decisions are yours", schedule_.decisions.size(), points_.size());
  data["live"] = {{"token", token},
                  {"decided", schedule_.decisions.size()},
                  {"changed", last_changed_},
                  {"can_go_back", !history_.empty()},
                  {"strategies", strategies()}};
  return data;
}

std::vector<std::uint16_t> Exploration::decisions_before(std::size_t number) const {
  if (number > points_.size()) throw UsageError("there is no such decision");
  std::vector<std::uint16_t> decisions;
  for (std::size_t i = 0; i < number; ++i) decisions.push_back(points_[i].decision);
  return decisions;
}

void Exploration::change(Schedule to) {
  history_.push_back(std::move(schedule_));
  schedule_ = std::move(to);
}

void Exploration::decide(std::size_t number, std::size_t option) {
  if (number >= points_.size() || option >= points_[number].options.size()) {
    throw UsageError("there is no such option");
  }
  Schedule next = schedule_;
  next.decisions = decisions_before(number);
  next.decisions.push_back(points_[number].options[option]);
  last_changed_ = number;
  change(std::move(next));
}

bool Exploration::back() {
  if (history_.empty()) return false;
  schedule_ = std::move(history_.back());
  history_.pop_back();
  last_changed_ = schedule_.decisions.empty() ? 0 : schedule_.decisions.size() - 1;
  return true;
}

std::string Exploration::search(std::size_t number, const std::string& strategy) {
  if (std::find(strategies().begin(), strategies().end(), strategy) == strategies().end()) {
    throw UsageError("this strategy cannot take over: " + strategy);
  }
  Request request;
  static_cast<ScheduleOptions&>(request) = schedule_;
  request.strategy = std::string_view(strategy);
  request.seed = ++searches_;
  request.max_executions = most_searched;
  request.max_seconds = most_search_seconds;
  request.goes_on = true;
  Schedule prefix = schedule_;
  prefix.decisions = decisions_before(number);
  prefix.checks.clear();
  prefix.operations.clear();
  Search search(program_, request, input_);
  search.begin_with(prefix);
  const SearchResult result = search.run({});
  const std::string executions = counted(result.summary.executions, "execution");
  if (result.status == Status::failed) throw UsageError(result.error);
  if (result.bugs.empty()) return fmt::format("{} from here, no bug", executions);
  Schedule found = schedule_;
  static_cast<RecordedExecution<std::vector>&>(found) = result.bugs.front();
  last_changed_ = number;
  change(std::move(found));
  return fmt::format("found after {}: {}", executions, result.bugs.front().kind);
}

std::string Exploration::save() {
  if (points_.empty() && schedule_.kind.empty()) run();
  Schedule saved = schedule_;
  saved.decisions = decisions_before(points_.size());
  saved.checks.clear();
  for (const Point& point : points_) saved.checks.push_back(point.check);
  make_folder(out_);
  const std::string file = fmt::format("{}/explored-{}.json", out_, ++saved_);
  write_schedule(file, saved);
  return file;
}

}  // namespace ricercar::inline cli
