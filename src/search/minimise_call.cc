#include "search/minimise_call.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/outcome_kinds.h"

namespace ricercar::inline search {
namespace {

OutcomeKind kind_of(const Schedule& schedule) {
  return kind_by_name(schedule.kind).value_or(OutcomeKind::ok);
}

// An execution that has come to more steps than that is not the shortest one. One that goes round
// for ever comes to the limit, whatever is told of it.
std::uint64_t most_steps(const Schedule& schedule) {
  if (schedule.round != 0) return schedule.max_steps;
  constexpr std::uint64_t factor = 4;
  constexpr std::uint64_t more = 1000;
  return std::min(schedule.max_steps, factor * schedule.steps + more);
}

// All but what is looked for, and how far.
Request request_for_variants(const Schedule& schedule, double max_seconds) {
  Request request;
  static_cast<ScheduleOptions&>(request) = schedule;
  request.max_seconds = max_seconds;
  request.check_number = schedule.check_number;
  request.cores = 1;
  return request;
}

}  // namespace

std::string why_not_minimised(const Schedule& schedule) {
  switch (kind_of(schedule)) {
    case OutcomeKind::ok:
      return "it ended as it should";
    case OutcomeKind::hang:
      return schedule.round != 0 ? "" : "each try would take as long as the hang";
    case OutcomeKind::livelock:
      return schedule.round != 0 || schedule.steps < schedule.max_steps
                 ? ""
                 : "it goes on up to the limit of steps";
    default:
      return {};
  }
}

Request request_to_minimise(const Schedule& schedule, std::uint64_t budget, double max_seconds) {
  Request request = request_for_variants(schedule, max_seconds);
  request.max_steps = most_steps(schedule);
  // What goes round for ever is run up to the limit at least three times.
  const std::uint64_t more = schedule.round != 0 ? 3 * schedule.max_steps : 0;
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() - more;
  request.variants = {VariantRequest::shortest, kind_of(schedule), schedule.steps,
                      std::min(budget, most) + more};
  return request;
}

// An execution that passes may be much longer than one that does not.
Request request_for_last_chance(const Schedule& schedule, std::uint64_t budget,
                                double max_seconds) {
  constexpr std::uint64_t more = 20000;
  Request request = request_for_variants(schedule, max_seconds);
  request.max_steps = std::min(schedule.max_steps, most_steps(schedule) + more);
  const OutcomeKind kind = kind_of(schedule);
  request.variants = {VariantRequest::nearest_passing, kind, schedule.steps, budget};
  request.force_fork = kind == OutcomeKind::crash || kind == OutcomeKind::use_after_free ||
                       kind == OutcomeKind::hang;
  return request;
}

Schedule shorter_schedule(const Schedule& schedule, ShortestFound found) {
  const std::optional<Minimised>& earlier = schedule.minimised;
  Minimised minimised{earlier ? earlier->original : "", earlier ? earlier->before : found.before,
                      found.now, found.executions};
  Schedule result = found.is_shorter() ? std::move(found.schedule) : schedule;
  static_cast<ScheduleOptions&>(result) = schedule;
  result.check_number = schedule.check_number;
  result.execution = schedule.execution;
  result.minimised = std::move(minimised);
  return result;
}

}  // namespace ricercar::inline search
