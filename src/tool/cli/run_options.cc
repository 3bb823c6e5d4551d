#include "cli/run_options.h"

#include <fmt/format.h>

#include <charconv>
#include <tuple>
#include <type_traits>

#include "base/error.h"
#include "cli/help.h"
#include "nodes/cluster_file.h"
#include "strategy/registry.h"

namespace ricercar::inline cli {
namespace {

std::uint64_t bytes_of(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  const std::string unit(result.ptr, end);
  const std::size_t power = std::string("KMG").find(unit.empty() ? '-' : unit[0]);
  const bool is_known = unit.empty() || (unit.size() == 1 && power != std::string::npos);
  if (result.ec != std::errc() || !is_known || number == 0 || number >> 32 != 0) {
    throw UsageError(fmt::format("--memory: a size such as 64M or 2G is wanted, not '{}'", text));
  }
  return unit.empty() ? number : number << (10 * (power + 1));
}

// An option of the command line. A flag turns its field to the other side. A default that is not
// zero and not empty is shown.
template <typename Owner, typename Value>
struct Row {
  const char* names;
  Value Owner::*field;
  const char* help;
  const char* value = nullptr;  // what stands for the value in the help
  Value (*parse)(std::string_view) = nullptr;
  std::uint64_t least = 1;  // of a number
};
template <typename Owner, typename Value, typename... Rest>
Row(const char*, Value Owner::*, const char*, Rest...) -> Row<Owner, Value>;

// In the order of the help.
constexpr std::tuple rows = {
    Row{"-s,--strategy", &RunOptions::strategy,
        "How to search: name:parameter=value,... (see `ricercar strategies`)", "TEXT",
        strategy_text},
    Row{"-n,--executions", &RunOptions::max_executions,
        "Stop after N executions (10000; no limit if --time is given, or if the strategy explores "
        "everything: dfs, pb, dpor, ...)",
        "N"},
    Row{"-t,--time", &RunOptions::max_seconds, "Stop after this time", "SECONDS"},
    Row{"--seed", &RunOptions::seed, "Seed of all random decisions", "N", nullptr, 0},
    Row{"--steps", &RunOptions::max_steps, "Cut an execution after N steps", "N"},
    Row{"--points", &RunOptions::points,
        "Where threads may be switched: message (where nodes meet), sync, atomic (and atomics), "
        "racy (and accesses to memory on which a data race was seen), shared (and accesses to "
        "memory that threads share, learned on the way) or memory (and all of them); racy, for "
        "hapset shared, for nodes message",
        "POINTS", points_by_name},
    Row{"--nodes", &RunOptions::nodes,
        "Search the cluster that FILE describes, instead of a program", "FILE"},
    Row{"--seed-schedule", &RunOptions::seed_schedule,
        "Begin with the execution that `ricercar record` has saved (strategy coverage)", "FILE"},
    Row{"--checkpoint", &RunOptions::checkpoint,
        "Keep the search in FILE, every 20 seconds and when it is interrupted, so that --resume "
        "can go on with it",
        "FILE"},
    Row{"--resume", &RunOptions::resume,
        "Go on with the search in FILE, and keep it there (or in the file of --checkpoint)",
        "FILE"},
    Row{"-o,--out", &RunOptions::out, "Folder for the schedules and reports of bugs", "DIR"},
    Row{"-k,--keep-going", &RunOptions::keep_going, "Do not stop at the first bug"},
    Row{"--fail-on", &RunOptions::fail_on,
        "Only these kinds of bugs fail the search, as deadlock,crash; others are counted", "KINDS"},
    Row{"--ignore", &RunOptions::ignore,
        "These kinds of bugs do not fail the search, as data-race,leak; they are counted", "KINDS"},
    Row{"--suppressions", &RunOptions::suppressions,
        "Known findings that do not fail the search, as race:FUNCTION in each line; they are "
        "counted",
        "FILE"},
    Row{"--json", &RunOptions::json, "Write a summary as JSON (-: to standard output)", "FILE"},
    Row{"--html", &RunOptions::html, "Write a page for a browser for each bug, DIR/bug-1.html",
        "DIR"},
    Row{"--junit", &RunOptions::junit, "Write the result as JUnit's XML", "FILE"},
    Row{"--sarif", &RunOptions::sarif, "Write the result as SARIF 2.1.0, for code scanning",
        "FILE"},
    Row{"--github", &RunOptions::github,
        "Print bugs as annotations of GitHub, at the lines that they are about"},
    Row{"--corpus", &RunOptions::corpus,
        "Replay the schedules in this folder first, and keep there what is found", "DIR"},
    Row{"--hapset", &RunOptions::sets,
        "Go on from the statement pairs in FILE, if it exists, and save them there at the end",
        "FILE"},
    Row{"--coverage", &RunOptions::report,
        "Report the statement pairs after the run, as .html, .json, .svg or .txt", "FILE"},
    Row{"-q,--quiet", &RunOptions::quiet, "Print bugs in one line each and nothing else"},
    Row{"--no-races", &RunOptions::races, "Do not report data races"},
    Row{"--past-race", &RunOptions::past_race,
        "After a data race: see what it leads to, in at most N executions more; 0: do not look",
        "N", nullptr, 0},
    Row{"--no-minimise", &RunOptions::minimises,
        "Report bugs as they were found, without looking for a shorter execution that fails in the "
        "same way"},
    Row{"--spurious", &RunOptions::spurious_wakeups,
        "Condition variables may wake without a signal"},
    Row{"--weak-failures", &RunOptions::weak_failures,
        "A weak compare-exchange may fail without a reason"},
    Row{"--hang", &RunOptions::hang_seconds,
        "Report code that is not under control as hanging after this time", "SECONDS"},
    Row{"--memory", &RunOptions::memory,
        "For what waits to be explored, as 16M or 2G; the rest goes to a file in --out", "SIZE",
        bytes_of},
    Row{"-j,--jobs,--cores", &RunOptions::cores,
        "How many processes search a program or nodes, or threads a system of machines (all "
        "cores, of a program once the search has taken a second; of nodes 1); the result is the "
        "same",
        "N"},
    Row{"--pool", &RunOptions::pool,
        "Let workers on any machine search (`ricercar worker`): redis://HOST:PORT/NAME", "POOL"},
    Row{"--fork", &RunOptions::force_fork, "Fork for each execution, never restore memory"},
    Row{"--full", &RunOptions::full, "Show every step of the trace"},
};

// --- Every field of the options can be asked for ---

template <typename Owner, typename Value, typename OtherOwner, typename OtherValue>
constexpr bool are_same(Value Owner::*one, OtherValue OtherOwner::*other) {
  if constexpr (std::is_same_v<decltype(one), decltype(other)>) {
    return one == other;
  } else {
    return false;
  }
}

constexpr auto has_row = [](const auto&... field) {
  return std::apply(
      [&](const auto&... row) {
        const auto is_in_row = [&](const auto& each) {
          return (are_same(each.member, row.field) || ...);
        };
        return (is_in_row(field) && ...);
      },
      rows);
};
static_assert(std::apply(has_row, ScheduleOptions::fields()), "an option without a row above");
static_assert(std::apply(has_row, SearchOptions::fields()), "an option without a row above");

// --- What CLI11 is told ---

template <typename Owner, typename Value>
void declare(CLI::App& command, RunOptions& options, const Row<Owner, Value>& row) {
  Value& field = options.*row.field;
  if constexpr (std::is_same_v<Value, bool>) {
    command.add_flag_callback(
        row.names, [&field, other = !field] { field = other; }, row.help);
  } else if (row.parse != nullptr) {
    const auto set = [&field, parse = row.parse](const std::string& text) {
      if (!text.empty()) field = parse(text);
    };
    command.add_option_function<std::string>(row.names, set, row.help)->type_name(row.value);
  } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
    CLI::Option* option = command.add_option(row.names, field, row.help)->type_name(row.value);
    if constexpr (std::is_floating_point_v<Value>) option->check(duration_validator());
    if constexpr (std::is_integral_v<Value>) option->check(number_validator(row.least));
    if (field != Value{}) option->capture_default_str();
  }
}

}  // namespace

void require_strategy(const std::string& specification) {
  Resources check;
  check.priorities.is_check = true;
  check.explorers.is_check = true;
  make_strategy(specification, 1, check);
}

void declare_run_options(CLI::App& command, RunOptions& options) {
  std::apply([&](const auto&... row) { (declare(command, options, row), ...); }, rows);
}

void take_search_fields(CLI::App& command, const RunOptions& options) {
  for (const SearchField& field : read_cluster(options.nodes).search) {
    CLI::Option* option = command.get_option("--" + field.name);
    if (option->count() > 0) continue;
    try {
      option->add_result(field.value);
      option->run_callback();
      if (field.name == "strategy") require_strategy(field.value);
    } catch (const std::exception& error) {
      throw UsageError(fmt::format("{}: {}", field.place, error.what()));
    }
  }
}

}  // namespace ricercar::inline cli
