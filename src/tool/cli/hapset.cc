// `ricercar hapset`: look at learned sets, and merge them.
#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/coverage_files.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "report/coverage_file.h"
#include "report/coverage_html.h"
#include "report/coverage_json.h"
#include "report/coverage_merge.h"
#include "report/coverage_svg.h"
#include "report/coverage_text.h"

namespace ricercar::inline cli {
namespace {

struct MergeFiles {
  std::vector<std::string> files;
  std::string out;
  bool force = false;
};

struct ShowOptions {
  std::string file;
  std::string json;
  std::string html;
  std::string svg;
  std::size_t limit = 0;  // 0: as many as suit the format
};

int merge_files(const MergeFiles& options) {
  if (options.files.size() < 2) {
    throw UsageError("name at least two files to merge: ricercar hapset merge A B -o OUT");
  }
  CoverageSets sets = read_coverage(options.files[0]);
  for (std::size_t i = 1; i < options.files.size(); ++i) {
    const CoverageSets more = read_coverage(options.files[i]);
    try {
      sets = merge(sets, more, {.force = options.force});
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("'{}' cannot be merged: {}", options.files[i], error.what()));
    }
  }
  write_coverage(options.out, sets);
  return exit_ok;
}

CoverageTextOptions text_options(const ShowOptions& options) {
  const ReporterOptions terminal = reporter_options_for(stdout);
  CoverageTextOptions result;
  result.width = static_cast<std::size_t>(terminal.width);
  result.colours = terminal.colours;
  result.blocks = draws_blocks(stdout);
  if (options.limit != 0) result.limit = options.limit;
  return result;
}

std::string html_of(const CoverageSets& sets, const ShowOptions& options) {
  CoverageHtmlOptions html;
  if (options.limit != 0) html.limit = options.limit;
  SourceFiles sources(".");
  return coverage_html(sets, sources, html);
}

int show_file(const ShowOptions& options) {
  const CoverageSets sets = read_coverage(options.file);
  if (const std::string missing = missing_sources(sets); !missing.empty()) {
    fmt::print(stderr, "ricercar: {}\n", missing);
  }
  if (!options.html.empty()) write_file(options.html, html_of(sets, options));
  if (!options.svg.empty()) write_file(options.svg, coverage_svg(sets));
  if (!options.json.empty() && options.json != "-") write_file(options.json, coverage_json(sets));
  fmt::print(
      "{}", options.json == "-" ? coverage_json(sets) : coverage_text(sets, text_options(options)));
  return exit_ok;
}

void add_merge(CLI::App& parent, Invocation& invocation) {
  auto options = std::make_shared<MergeFiles>();
  CLI::App* command = parent.add_subcommand("merge", "Make one file of learned sets from several");
  command->add_option("FILES", options->files, "Files of sets, the oldest first")->required();
  command->add_option("-o,--out", options->out, "Where to write the result")
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Merge sets of different programs");
  set_help(*command, "ricercar hapset merge FILE FILE... -o FILE [--force]",
           R"(Examples:
  ricercar hapset merge monday.sets tuesday.sets -o all.sets
)");
  command->callback([options, &invocation] { invocation.status = merge_files(*options); });
}

void add_show_sets(CLI::App& parent, Invocation& invocation) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = parent.add_subcommand("show", "Report what learned sets cover");
  command->add_option("FILE", options->file, "A file of sets")->required();
  command->add_option("--json", options->json, "Write everything as JSON (-: to standard output)")
      ->type_name("FILE");
  command->add_option("--html", options->html, "Write a page with the curve and the source lines")
      ->type_name("FILE");
  command->add_option("--svg", options->svg, "Write the curve as a picture")->type_name("FILE");
  command->add_option("--limit", options->limit, "Show at most N pairs of each kind (10; HTML 500)")
      ->check(number_validator(1))
      ->type_name("N");
  set_help(*command, "ricercar hapset show [OPTIONS] FILE",
           R"(Examples:
  ricercar hapset show queue.sets
  ricercar hapset show --html coverage.html --svg curve.svg queue.sets
)");
  command->callback([options, &invocation] { invocation.status = show_file(*options); });
}

}  // namespace

void add_hapset(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("hapset", "Report or merge the pairs of statements that searches learned");
  command->require_subcommand(0, 1);
  add_merge(*command, invocation);
  add_show_sets(*command, invocation);
  set_help(*command, "ricercar hapset merge|show [OPTIONS] FILES",
           R"(Examples:
  ricercar run --strategy hapset --hapset queue.sets ./queue_test    learn, or go on learning
  ricercar hapset show queue.sets                                    what is covered
  ricercar hapset show --html coverage.html queue.sets               the same as a page
  ricercar hapset merge monday.sets tuesday.sets -o all.sets         one file of two
)");
  command->callback([command] {
    if (!command->get_subcommands().empty()) return;
    throw UsageError(
        "say what to do: ricercar hapset show FILE, or ricercar hapset merge A B -o OUT");
  });
}

}  // namespace ricercar::inline cli
