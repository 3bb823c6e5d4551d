// `ricercar show`: explain a recorded schedule.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "cli/bug_report.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/page.h"
#include "cli/replay_program.h"
#include "cli/terminal.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t report_limit = std::size_t{64} << 20;

int show_stored_report(const std::string& file, const std::string& reason) {
  const std::string path = beside(file, ".txt");
  if (::access(path.c_str(), R_OK) != 0) throw UsageError(reason);
  fmt::print(stderr, "ricercar: {}\nThis is the report that was stored with it:\n\n", reason);
  std::fflush(stderr);
  fmt::print("{}", read_file(path, report_limit));
  return exit_ok;
}

// "text (for people), json (for programs)"
std::string formats() {
  std::string list;
  for (const Reporter& reporter : reporters()) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", reporter.name, reporter.summary);
  }
  return list;
}

// What a run has saved last in the folder that it uses if nobody says another one.
std::string newest_schedule() {
  const fs::path folder = "ricercar-out";
  std::error_code none;
  fs::path newest;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".json") || name.find("bug-") == std::string::npos) continue;
    const bool is_newer = newest.empty() || entry.last_write_time() > fs::last_write_time(newest);
    if (is_newer) newest = entry.path();
  }
  if (newest.empty()) {
    throw UsageError(
        "say which schedule, as in `ricercar show ricercar-out/bug-1.json`: there is none in "
        "ricercar-out");
  }
  fmt::print(stderr, "ricercar: the newest schedule is {}\n", newest.string());
  return newest;
}

struct ShowOptions {
  std::string file;
  std::string format = "text";
  std::string output;  // empty: standard output, or beside the schedule for --html
  bool html = false;
  bool full = false;
};

void print(const ShowOptions& options, const std::string& text) {
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(options.output, text);
  }
}

int show_as_page(const ShowOptions& options) {
  if (!options.html && options.output.empty()) {
    fmt::print("{}", html_report(report_for_page(options.file, options.full), {}));
    return exit_ok;
  }
  const std::string page = options.output.empty() ? beside(options.file, ".html") : options.output;
  write_page(options.file, page, options.full, stdout);
  return exit_ok;
}

int show(ShowOptions options) {
  if (options.file.empty()) options.file = newest_schedule();
  const std::string& file = options.file;
  const Reporter& reporter = reporter_by_name(options.format);
  if (options.html || options.format == "html") return show_as_page(options);
  const Schedule schedule = read_schedule(file);
  Program program;
  try {
    program = program_of(schedule, "");
  } catch (const UsageError& error) {
    if (options.format != "text") throw;
    return show_stored_report(file, error.what());
  }
  const ProgramInput input(STDIN_FILENO);
  const FinishedReplay replay(program, schedule, input, {});
  const Report report = report_of(replay, schedule, file, options.full);
  const bool is_for_people = options.output.empty();
  print(options,
        reporter.write(report, is_for_people ? reporter_options_for(stdout) : ReporterOptions{}));
  return exit_ok;
}

}  // namespace

void add_show(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Explain a recorded schedule");
  command->add_option("FILE", options->file,
                      "A schedule that `ricercar run` has saved (the newest in ricercar-out)");
  command->add_flag("--full", options->full, "Show every step of the trace");
  command->add_option("--format", options->format, "How: " + formats())
      ->capture_default_str()
      ->type_name("FORMAT");
  command->add_flag("--html", options->html,
                    "Write a page for a browser: bug-1.html beside bug-1.json");
  command->add_option("-o,--output", options->output, "Write to this file instead")
      ->type_name("FILE");
  set_help(
      *command, "ricercar show [OPTIONS] FILE",
      R"(Runs the schedule again without its output and prints the report. If the program has gone or
was built again, the report that was stored beside the file is printed instead.

Examples:
  ricercar show ricercar-out/bug-1.json
  ricercar show --full ricercar-out/bug-1.json    every step
  ricercar show --html ricercar-out/bug-1.json    step through it in a browser
  ricercar show --html -o page.html ricercar-out/bug-1.json
  ricercar show --format=json ricercar-out/bug-1.json
)");
  command->callback([options, &invocation] { invocation.status = show(*options); });
}

}  // namespace ricercar::inline cli
