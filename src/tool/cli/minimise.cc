#include "cli/minimise.h"

#include <utility>

namespace ricercar::inline cli {
namespace {

// The process is not fit for another execution after such a failure, and a fork is the cheapest
// one.
bool breaks_process(OutcomeKind kind) {
  return kind == OutcomeKind::crash || kind == OutcomeKind::use_after_free ||
         kind == OutcomeKind::hang;
}

}  // namespace

std::optional<ShorterSchedule> minimise(const Program& program, const Schedule& schedule,
                                        const ProgramInput& input, const MinimiseOptions& options) {
  if (!why_not_minimised(schedule).empty()) return std::nullopt;
  Request request = request_to_minimise(schedule, options.budget, options.max_seconds);
  request.ignored_kinds = options.ignored_kinds;
  request.force_fork = breaks_process(request.variants.kind);
  Search search(program, request, input);
  search.begin_with(schedule);
  SearchResult result = search.run({});
  if (result.bugs.empty()) return std::nullopt;
  ShortestFound found{std::move(result.bugs.front()), result.size_before, result.size_now,
                      result.summary.executions};
  const Supervised& supervised = result.supervised;
  const bool is_shorter = found.is_shorter();
  return ShorterSchedule{shorter_schedule(schedule, std::move(found)), supervised.seconds,
                         supervised.out_of_time, supervised.interrupted, is_shorter};
}

}  // namespace ricercar::inline cli
