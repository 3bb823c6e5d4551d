// `ricercar info`, `ricercar properties`, `ricercar coverage` and `ricercar shiviz`: what else can
// be told of a recorded schedule.
#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/replay_program.h"
#include "report/block_coverage.h"
#include "report/path_tools.h"

namespace ricercar::inline cli {
namespace {

struct PathOptions {
  std::string file;
  bool is_json = false;
  std::string html = {};  // where to write a page; empty: nowhere
};

int show_info(const PathOptions& options) {
  const ReplayedPath path(options.file);
  fmt::print("{}", options.is_json ? path_info_json(path.report()) : path_info_text(path.report()));
  return exit_ok;
}

int show_properties(const PathOptions& options) {
  const ReplayedPath path(options.file);
  if (path.recording().properties.size == 0) {
    throw UsageError(fmt::format(
        "'{}' was recorded without properties: name a file of them in the cluster file, "
        "properties = \"properties.cc\"",
        options.file));
  }
  fmt::print("{}", options.is_json ? property_checks_json(path.report(), path.recording())
                                   : property_checks_text(path.report(), path.recording()));
  return exit_ok;
}

// Throws UsageError if nothing is known of blocks.
BlockCoverage coverage_of(const ReplayedPath& path, const std::string& file) {
  if (!path.program().is_cluster()) {
    throw UsageError(fmt::format(
        "'{0}' is not about nodes, and blocks of code are counted for those only. For pairs of "
        "statements that a search has learned: ricercar hapset show. Try: ricercar show {0}",
        file));
  }
  BlockCoverage coverage = block_coverage(path.recording(), path.program().nodes);
  if (!coverage.modules.empty()) return coverage;
  throw UsageError(
      fmt::format("no program of '{}' says which blocks of code it runs through: compile them "
                  "with `ricercar c++ --coverage`, and search again",
                  path.program().typed));
}

int show_coverage(const PathOptions& options) {
  const ReplayedPath path(options.file);
  const BlockCoverage coverage = coverage_of(path, options.file);
  if (!options.html.empty()) {
    write_file(options.html, block_coverage_html(coverage, path.report()));
  }
  fmt::print("{}", options.is_json ? block_coverage_json(coverage, path.report())
                                   : block_coverage_text(coverage, path.report()));
  return exit_ok;
}

int show_shiviz(const PathOptions& options) {
  const ReplayedPath path(options.file);
  if (path.report().is_told_by_address()) {
    throw UsageError(
        fmt::format("'{}' is about threads, which send no messages; ShiViz draws those of nodes "
                    "and of machines. Try: ricercar show {}",
                    options.file, options.file));
  }
  fmt::print("{}", shiviz_log(path.report(), std::filesystem::path(options.file).stem().string()));
  return exit_ok;
}

CLI::App* add_command(CLI::App& app, Invocation& invocation, const char* name, const char* summary,
                      int (*show)(const PathOptions&), bool has_json, bool has_page = false) {
  auto options = std::make_shared<PathOptions>();
  CLI::App* command = app.add_subcommand(name, summary);
  command->add_option("FILE", options->file, "A schedule that `ricercar run` has saved")
      ->required();
  if (has_json) command->add_flag("--json", options->is_json, "Write it as JSON");
  if (has_page) {
    command->add_option("--html", options->html, "Write a page with the lines of the source")
        ->type_name("FILE");
  }
  command->callback([options, show, &invocation] { invocation.status = show(*options); });
  return command;
}

}  // namespace

void add_path_commands(CLI::App& app, Invocation& invocation) {
  set_help(
      *add_command(app, invocation, "info", "Count the events of a recorded schedule", show_info,
                   true),
      "ricercar info [--json] FILE",
      R"(Runs the schedule again without its output, and prints how many events of each kind there were, of
whom, and the faults that were injected.

Examples:
  ricercar info ricercar-out/bug-1.json
  ricercar info --json ricercar-out/bug-1.json
)");
  set_help(
      *add_command(app, invocation, "properties",
                   "Say what the properties of a cluster said in a recorded schedule",
                   show_properties, true),
      "ricercar properties [--json] FILE",
      R"(Runs the schedule of a cluster again without its output, and prints how often each property was judged,
at which events, with which values, and where it was violated. The properties are those of the file
as it is now: a property can be changed or added and asked about the same execution, which ends at
the first one that is violated.

Examples:
  ricercar properties ricercar-out/bug-1.json
  ricercar properties --json ricercar-out/bug-1.json
)");
  set_help(
      *add_command(app, invocation, "coverage",
                   "Say which blocks of code nodes ran through in a recorded schedule",
                   show_coverage, true, true),
      "ricercar coverage [--json] [--html FILE] FILE",
      R"(Runs the schedule of a cluster again without its output, and prints how many blocks of code there are,
which of them were covered, how often and by which node, and the lines that were not covered.
The programs of the nodes have to be compiled with `ricercar c++ --coverage`.

Examples:
  ricercar coverage ricercar-out/bug-1.json
  ricercar coverage --html blocks.html ricercar-out/bug-1.json
)");
  set_help(
      *add_command(app, invocation, "shiviz", "Write a recorded schedule as a log for ShiViz",
                   show_shiviz, false),
      "ricercar shiviz FILE",
      R"(Runs the schedule again without its output, and prints every event with a vector clock, in the format
of ShiViz (https://bestchai.bitbucket.io/shiviz/), which draws nodes or machines as lanes and
messages as lines between them.

Examples:
  ricercar shiviz ricercar-out/bug-1.json > bug-1.log
)");
}

}  // namespace ricercar::inline cli
