#include "cli/minimise.h"

#include <algorithm>

#include "model/outcome_kinds.h"

namespace ricercar::inline cli {
namespace {

// An execution that has come to more steps than that is not the shortest one.
std::uint64_t most_steps(const Schedule& schedule) {
  constexpr std::uint64_t factor = 4;
  constexpr std::uint64_t more = 1000;
  return std::min(schedule.max_steps, factor * schedule.steps + more);
}

// The process is not fit for another execution after such a failure, and a fork is the cheapest
// one.
bool breaks_process(OutcomeKind kind) {
  return kind == OutcomeKind::crash || kind == OutcomeKind::use_after_free;
}

OutcomeKind kind_of(const Schedule& schedule) {
  return kind_by_name(schedule.kind).value_or(OutcomeKind::ok);
}

Request request_for(const Schedule& schedule, const MinimiseOptions& options) {
  Request request;
  static_cast<ScheduleOptions&>(request) = schedule;
  request.max_steps = most_steps(schedule);
  request.max_seconds = options.max_seconds;
  request.check_number = schedule.check_number;
  request.ignored_kinds = options.ignored_kinds;
  request.variants = {VariantRequest::shortest, kind_of(schedule), schedule.steps, options.budget};
  request.force_fork = breaks_process(request.variants.kind);
  request.cores = 1;
  return request;
}

}  // namespace

std::string why_not_minimised(const Schedule& schedule) {
  switch (kind_of(schedule)) {
    case OutcomeKind::ok:
      return "it ended as it should";
    case OutcomeKind::hang:
      return "each try would take as long as the hang";
    case OutcomeKind::livelock:
      return "a livelock goes on for ever";
    default:
      return {};
  }
}

std::optional<ShorterSchedule> minimise(const Program& program, const Schedule& schedule,
                                        const ProgramInput& input, const MinimiseOptions& options) {
  if (!why_not_minimised(schedule).empty()) return std::nullopt;
  const Request request = request_for(schedule, options);
  Search search(program, request, input);
  search.begin_with(schedule);
  SearchResult result = search.run({});
  if (result.bugs.empty()) return std::nullopt;
  ShorterSchedule shorter{std::move(result.bugs.front()), result.supervised.seconds,
                          result.supervised.out_of_time, result.supervised.interrupted};
  Schedule& found = shorter.schedule;
  static_cast<ScheduleOptions&>(found) = schedule;
  found.check_number = schedule.check_number;
  found.execution = schedule.execution;
  // It may have been minimised before.
  const ExecutionSize before = schedule.minimised ? schedule.minimised->before : result.size_before;
  found.minimised = Minimised{"", before, result.size_now, result.summary.executions};
  shorter.is_shorter = result.size_now < result.size_before;
  if (shorter.is_shorter) return shorter;
  Minimised minimised = *found.minimised;
  found = schedule;
  if (schedule.minimised) minimised.original = schedule.minimised->original;
  found.minimised = std::move(minimised);
  return shorter;
}

}  // namespace ricercar::inline cli
