#include "cli/last_chance.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "report/build.h"
#include "report/instrumentation.h"
#include "report/message_order.h"
#include "report/symbols.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

MinimiseOptions share_of(const MinimiseOptions& all) {
  constexpr std::uint64_t most_budget = 10 * usual_last_chance_budget;
  constexpr double most_seconds = 20 * usual_last_chance_seconds;
  constexpr std::uint64_t whole = usual_minimise_budget / usual_last_chance_budget;
  MinimiseOptions share = all;
  share.budget = std::min(all.budget / whole, most_budget);
  share.max_seconds = std::min(all.max_seconds, most_seconds);
  return share;
}

// Executions may differ in what is no decision of the search: then nothing is said of all.
bool decides_everything(const Program& program, const Schedule& failing,
                        const SearchResult& result) {
  return !program.is_cluster() && failing.races && result.not_modelled.empty() &&
         uninstrumented_code(program.path).empty();
}

// What there is to know of an execution, to compare it with another one. One replay at a time: each
// has its memory at the same place.
struct Execution {
  std::optional<Step> step;  // where the two part
  std::string words;         // of the same
  std::vector<Receipt> receipts;
};

std::optional<Execution> execution_of(const Program& program, const Schedule& schedule,
                                      const ProgramInput& input, std::uint64_t step) {
  const FinishedReplay replay(program, schedule, input, {});
  if (!replay.shows_the_bug() || !replay.shows_the_same_trace()) return std::nullopt;
  const Recording& recording = *replay.recording();
  const auto symbols = debug_symbols(recording, replay.program().path);
  return Execution{recorded_step(recording, step), words_of_step(recording, *symbols, step),
                   receipts_in(recording, *symbols)};
}

void compare(const Execution& failing, const Execution& passing, LastChanceFile& chance) {
  chance.instead = passing.words;
  chance.is_conflict =
      failing.step && passing.step && are_in_conflict(*failing.step, *passing.step);
  const OtherOrder order = other_order(failing.receipts, passing.receipts);
  chance.order = order.words;
  chance.order_event = order.event;
}

}  // namespace

std::optional<LastChanceFound> find_last_chance(const Program& program, const Schedule& failing,
                                                const ProgramInput& input,
                                                const MinimiseOptions& options) {
  if (!why_not_minimised(failing).empty()) return std::nullopt;
  const MinimiseOptions share = share_of(options);
  Request request = request_for_last_chance(failing, share.budget, share.max_seconds);
  request.ignored_kinds = options.ignored_kinds;
  Search search(program, request, input);
  search.begin_with(failing);
  SearchResult result = search.run({});
  if (result.bugs.empty()) return std::nullopt;
  LastChanceFound found;
  static_cast<LastChance&>(found.chance) = result.last_chance;
  found.interrupted = result.supervised.interrupted;
  // Of what goes round for ever every round is another chance.
  found.chance.is_complete &= failing.round == 0 && decides_everything(program, failing, result);
  if (!found.chance.passes) return found;
  Schedule& passing = result.bugs.front();
  static_cast<ScheduleOptions&>(passing) = failing;
  passing.check_number = failing.check_number;
  passing.execution = failing.execution;
  const auto here = execution_of(program, failing, input, found.chance.step);
  const auto there = execution_of(program, passing, input, found.chance.step);
  if (!there) return std::nullopt;
  compare(here.value_or(Execution{}), *there, found.chance);
  found.passing = std::move(passing);
  return found;
}

std::string passing_path(const std::string& schedule) {
  const fs::path path(schedule);
  return (path.parent_path() / (path.stem().string() + "-passing.json")).string();
}

void save_passing(const std::string& failing_path, LastChanceFound& found, Schedule& failing) {
  if (found.passing) {
    const std::string path = passing_path(failing_path);
    write_schedule(path, *found.passing);
    found.chance.passing = fs::path(path).filename();
  }
  failing.last_chance = found.chance;
}

}  // namespace ricercar::inline cli
