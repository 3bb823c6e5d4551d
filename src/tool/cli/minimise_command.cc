// `ricercar minimise`: a shorter execution with the same failure.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "cli/bug_report.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/last_chance.h"
#include "cli/minimise.h"
#include "cli/replay_program.h"
#include "cli/terminal.h"
#include "report/style.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

struct MinimiseCommand {
  std::string file;
  double max_seconds = 0;
  bool quiet = false;
};

// More than at the end of a run; with a time of one's own only that counts.
MinimiseOptions limits_of(const MinimiseCommand& options) {
  constexpr std::uint64_t more = 10;
  constexpr double usual_seconds = 60;
  MinimiseOptions limits;
  limits.budget = options.max_seconds > 0 ? no_limit : more * usual_minimise_budget;
  limits.max_seconds = options.max_seconds > 0 ? options.max_seconds : usual_seconds;
  return limits;
}

// bug-1.json -> bug-1-original.json
std::string original_of(const std::string& file) {
  const fs::path path(file);
  return (path.parent_path() / (path.stem().string() + "-original.json")).string();
}

// The one that was found stays, however often it is made shorter.
void save(const MinimiseCommand& options, const Schedule& found, Schedule& shorter) {
  const bool has_original = found.minimised && !found.minimised->original.empty();
  if (has_original) {
    shorter.minimised->original = found.minimised->original;
  } else {
    const std::string original = original_of(options.file);
    write_schedule(original, found);
    shorter.minimised->original = fs::path(original).filename();
  }
  write_schedule(options.file, shorter);
}

std::string result_text(const ShorterSchedule& shorter, const Schedule& found) {
  const Minimised& minimised = *shorter.schedule.minimised;
  const std::string tried =
      fmt::format("{} tried in {:.1f} s{}", counted(minimised.executions, "execution"),
                  shorter.seconds, shorter.out_of_time ? ", until the time was up" : "");
  if (!shorter.is_shorter) {
    return fmt::format("no shorter execution with the same failure was found; {}\n", tried);
  }
  const ExecutionSize& before = found.minimised ? found.minimised->after : minimised.before;
  return fmt::format("minimised from {}; {}\n", change_of_size(before, minimised.after), tried);
}

// True: the schedule says something new.
bool add_last_chance(const MinimiseCommand& options, const Program& program,
                     const ProgramInput& input, Schedule& schedule) {
  std::optional<LastChanceFound> chance =
      find_last_chance(program, schedule, input, limits_of(options));
  if (chance) save_passing(options.file, *chance, schedule);
  return chance.has_value();
}

int minimise_file(const MinimiseCommand& options) {
  const Schedule found = read_schedule(options.file);
  const Program program = program_of(found, "");
  if (const std::string reason = why_not_minimised(found); !reason.empty()) {
    throw UsageError(fmt::format("'{}' is not made shorter: {}", options.file, reason));
  }
  const ProgramInput input(STDIN_FILENO);
  std::optional<ShorterSchedule> shorter = minimise(program, found, input, limits_of(options));
  if (!shorter) {
    fmt::print(stderr,
               "ricercar: the failure did not reproduce, so nothing can be made of it: ricercar "
               "replay {}\n",
               options.file);
    return exit_internal;
  }
  Schedule& schedule = shorter->schedule;
  const bool has_chance = add_last_chance(options, program, input, schedule);
  if (shorter->is_shorter) {
    save(options, found, schedule);
  } else if (has_chance) {
    write_schedule(options.file, schedule);
  }
  if (!options.quiet) {
    const FinishedReplay replay(program, shorter->schedule, input, {});
    const Report report = report_of(replay, shorter->schedule, options.file, false);
    fmt::print("{}\n", text_report(report, reporter_options_for(stdout)));
  }
  fmt::print("ricercar: {}", result_text(*shorter, found));
  return shorter->interrupted ? exit_interrupted : exit_ok;
}

}  // namespace

void add_minimise(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<MinimiseCommand>();
  CLI::App* command =
      app.add_subcommand("minimise", "Find a shorter execution with the same failure");
  command->add_option("FILE", options->file, "A schedule that `ricercar run` has saved")
      ->required();
  command->add_option("-t,--time", options->max_seconds, "Go on until this time is over")
      ->check(duration_validator())
      ->type_name("SECONDS");
  command->add_flag("-q,--quiet", options->quiet, "Only what was done, in one line");
  set_help(
      *command, "ricercar minimise [OPTIONS] FILE",
      R"(Looks for the execution with the fewest preemptions, of these with the fewest switches between
threads, then steps, that fails in the same way: the same kind of failure at the same places, with the
same message. `ricercar run` has done that already, for a short time, unless --no-minimise was given.

FILE becomes the shorter one. The one that was found stays beside it, as bug-1-original.json. The execution that
passes and parts from it as late as possible is saved as bug-1-passing.json.

Exit status: 0 done, with a shorter one or without, 2 a bad file or another build of the program, 3 the
failure did not reproduce.

Examples:
  ricercar minimise ricercar-out/bug-1.json
  ricercar minimise --time 60 ricercar-out/bug-1.json    look for a minute
)");
  command->callback([options, &invocation] { invocation.status = minimise_file(*options); });
}

}  // namespace ricercar::inline cli
