#include "search/check_call.h"

#include <map>
#include <string_view>

#include "model/outcome_kinds.h"
#include "search/process_facts.h"
#include "search/schedule_of_bug.h"
#include "strategy/registry.h"

namespace ricercar::inline search {
namespace {

std::string text(const char* from) { return from == nullptr ? "" : from; }

}  // namespace

Request request_of(const ricercar_options& options) {
  Request request;
  const std::string points = text(options.points);
  request.strategy = strategy_text(text(options.strategy));
  request.points = points.empty() ? default_points(request.strategy) : points_by_name(points);
  request.races = options.races != 0;
  request.spurious_wakeups = options.spurious_wakeups != 0;
  request.weak_failures = options.weak_failures != 0;
  request.keep_going = options.keep_going != 0;
  request.seed = options.seed;
  request.max_executions = options.executions;
  request.max_seconds = options.seconds;
  request.max_steps = options.steps;
  // A program that was compiled with an earlier version has a shorter structure.
  if (options.size >= sizeof options) {
    request.ignored_kinds = ignored_kinds(text(options.fail_on), text(options.ignore));
  }
  return request;
}

Schedule schedule_of_check(const FoundBug& bug, const Request& request, std::uint32_t check) {
  Schedule schedule = schedule_of_bug(bug, request);
  schedule.program = own_path();
  schedule.arguments = own_arguments();
  schedule.build_id = own_build_id();
  schedule.check_number = check;
  return schedule;
}

std::string schedule_path(std::string folder, std::uint32_t check, std::uint64_t bug) {
  if (folder.empty()) folder = "ricercar-out";
  return folder + "/check-" + std::to_string(check) + "-bug-" + std::to_string(bug) + ".json";
}

std::string coverage_text(const Control& control) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const IgnoredFinding* each = control.first_ignored; each != nullptr; each = each->next) {
    ++counts[info(each->outcome.kind).name];
  }
  std::string list;
  for (const auto& [kind, count] : counts) {
    list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(kind);
  }
  return control.coverage + (list.empty() ? "" : "; ignored: " + list);
}

}  // namespace ricercar::inline search
