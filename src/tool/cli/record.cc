// `ricercar record`: one execution of a cluster, to look at and as the seed of a search.
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/session.h"
#include "report/message_places.h"
#include "report/style.h"
#include "strategy/registry.h"

namespace ricercar::inline cli {
namespace {

struct RecordOptions {
  std::string nodes;
  std::string out = "seed.json";
  std::uint64_t max_steps = SearchOptions().max_steps;
};

// Each task goes on until it waits, and nothing goes wrong on purpose.
Request recording_request(const RecordOptions& options) {
  Request request;
  request.strategy = default_strategy_of_nodes;  // it does not decide anything
  request.points = Points::message;
  request.max_executions = 1;
  request.max_steps = options.max_steps;
  request.records = true;
  return request;
}

int record(const RecordOptions& options) {
  if (options.nodes.empty()) {
    throw UsageError("name the cluster to record: ricercar record --nodes cluster.toml");
  }
  const Program program = find_cluster(options.nodes);
  const ProgramInput input(STDIN_FILENO);
  Search search(program, recording_request(options), input);
  const SearchResult result = search.run({});
  if (result.status == Status::failed) throw UsageError(with_source_lines(result.error));
  if (result.bugs.empty()) {
    throw UsageError(fmt::format("no execution of '{}' was recorded", options.nodes));
  }
  const Schedule& schedule = result.bugs.front();
  write_schedule(options.out, schedule);
  fmt::print("ricercar: recorded {}, which ended with {}: {}\n",
             counted(result.summary.steps, "step"), schedule.kind, options.out);
  return schedule.kind == info(OutcomeKind::ok).name ? exit_ok : exit_bug;
}

}  // namespace

void add_record(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* command = app.add_subcommand("record", "Record one execution of a cluster of nodes");
  command->add_option("--nodes", options->nodes, "The file that describes the cluster")
      ->type_name("FILE");
  command->add_option("-o,--out", options->out, "Where to write the schedule")
      ->capture_default_str()
      ->type_name("FILE");
  command->add_option("--steps", options->max_steps, "Cut the execution after N steps")
      ->check(number_validator(1))
      ->capture_default_str()
      ->type_name("N");
  set_help(
      *command, "ricercar record [OPTIONS] --nodes FILE",
      R"(Runs the cluster once: each task goes on until it waits, and nothing goes wrong on purpose. Exit status:
0 it ended well, 1 it ended with a bug, 2 a usage error.

Examples:
  ricercar record --nodes cluster.toml -o seed.json
  ricercar coverage seed.json                          the code that it ran through
  ricercar run --nodes cluster.toml --strategy coverage --seed-schedule seed.json
)");
  command->callback([options, &invocation] { invocation.status = record(*options); });
}

}  // namespace ricercar::inline cli
