// `ricercar replay`: run one recorded schedule again.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "cli/bug_report.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/replay_program.h"
#include "cli/terminal.h"
#include "nodes/cluster_file.h"
#include "report/divergence.h"
#include "report/message_places.h"
#include "report/style.h"

namespace ricercar::inline cli {
namespace {

struct ReplayCommand {
  std::vector<std::string> words;  // a node for gdb, and the file
  std::string file;
  std::string backend = "fibers";
  std::string program;
  bool gdb = false;
  std::uint64_t stop = 0;  // of a node under gdb: at which switch; 0: before the bug
  bool quiet = false;
  bool full = false;
  std::uint32_t times = 1;
};

Backend backend_by_name(const std::string& name) {
  if (name == "fibers") return Backend::fibers;
  if (name == "threads") return Backend::threads;
  throw UsageError(fmt::format("there is no backend '{}'; there are fibers and threads", name));
}

// What `ricercar record` saves need not have one.
bool has_bug(const Schedule& schedule) { return schedule.kind != info(OutcomeKind::ok).name; }

void say(const ReplayCommand& options, const std::string& text) {
  if (!options.quiet) fmt::print("{}\n", text);
}

// Divergence is printed even when quiet: it says that the answer is worth nothing.
int report_divergence(const Recording& recording, const Program& program) {
  const auto symbols = debug_symbols(recording, program.path);
  const DivergenceText text = divergence_text(recording, *symbols);
  fmt::print(stderr,
             "ricercar: the replay left the recorded schedule at step {}\n  expected: {}\n"
             "  found:    {}\nThe program depends on something that Ricercar does not control "
             "(files, the environment,\nuninitialised memory), or a library that it uses has "
             "changed.\n",
             recording.divergence.step, text.expected, text.found);
  return exit_internal;
}

int report_broken_replay(const FinishedReplay& replay, const Program& program) {
  if (replay.supervised().interrupted) return exit_interrupted;
  if (replay.control().status == Status::failed) {
    throw UsageError(with_source_lines(replay.control().error));
  }
  const std::string reason = replay.supervised().message.empty() ? "it ended without a recording"
                                                                 : replay.supervised().message;
  fmt::print(stderr, "ricercar: '{}' could not be replayed: {}\n", program.path, reason);
  return exit_internal;
}

int judge(const FinishedReplay& replay, const Schedule& schedule, const Program& program,
          const ReplayCommand& options) {
  const Recording* recording = replay.recording();
  if (recording == nullptr) return report_broken_replay(replay, program);
  if (recording->divergence.diverged) return report_divergence(*recording, program);
  if (!replay.shows_the_same_kind()) {
    say(options, fmt::format("ricercar: the recorded bug ({}) did not reproduce; the execution "
                             "ended with: {}",
                             schedule.kind, info(recording->outcome.kind).name));
    return exit_ok;
  }
  return exit_bug;
}

int replay_once(const Program& program, const Schedule& schedule, const ReplayCommand& options) {
  const ProgramInput input(STDIN_FILENO);
  ReplayOptions replay_options;
  replay_options.backend = backend_by_name(options.backend);
  replay_options.output = options.quiet ? ReplayOptions::discard : ReplayOptions::pass_on;
  const FinishedReplay replay(program, schedule, input, replay_options);
  const int status = judge(replay, schedule, program, options);
  if (status == exit_bug) {
    const Report report = report_of(replay, schedule, options.file, options.full);
    say(options, text_report(report, reporter_options_for(stdout)));
  }
  return status;
}

// Many times: the point is whether it is always the same, so the program's output is left out.
int replay_often(const Program& program, const Schedule& schedule, const ReplayCommand& options) {
  const ProgramInput input(STDIN_FILENO);
  ReplayOptions replay_options;
  replay_options.backend = backend_by_name(options.backend);
  replay_options.output = ReplayOptions::discard;
  replay_options.is_explained = false;
  std::uint32_t same_trace = 0;
  int status = exit_bug;
  for (std::uint32_t i = 0; i < options.times && status == exit_bug; ++i) {
    const FinishedReplay replay(program, schedule, input, replay_options);
    if (replay.supervised().interrupted) return exit_interrupted;
    status = judge(replay, schedule, program, options);
    if (replay.shows_the_same_trace()) ++same_trace;
  }
  const std::string what =
      has_bug(schedule) ? fmt::format("showed the bug ({}) on", schedule.kind) : "had";
  say(options,
      fmt::format("ricercar: {} of {} replays {} the same trace", same_trace, options.times, what));
  return status;
}

// Its number.
std::uint32_t node_by_name(const Program& program, const std::string& name) {
  const ClusterPlan plan = read_cluster(program.path);
  std::vector<std::string> names;
  for (const NodePlan& node : plan.nodes) names.push_back(node.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::uint32_t>(found - names.begin());
  throw UsageError(fmt::format(
      "{}: ricercar replay --gdb NODE FILE, with one of these: {}",
      name.empty() ? std::string("say which node") : fmt::format("there is no node '{}'", name),
      enumerated(names)));
}

int replay_node_in_gdb(const Program& program, const Schedule& schedule, const std::string& name,
                       std::uint64_t stop) {
  const std::uint32_t node = node_by_name(program, name);
  const std::string where = stop == 0 ? "the last time that it has the turn before the end"
                                      : fmt::format("its switch {}", stop);
  fmt::print(
      "ricercar: gdb runs the node '{}' up to {}, and stops\n"
      "there. The other nodes wait for as long as it is stopped.\n"
      "  ricercar-threads       where its threads are in your code\n"
      "  ricercar-next-switch   on to where it gets the turn from another node\n"
      "  ricercar-prev-switch   says how to replay up to the switch before\n"
      "  continue               on to the end\n"
      "  quit                   ends all nodes\n\n",
      name, where);
  std::fflush(stdout);
  debug_node(program, schedule, node, stop);
  return exit_ok;
}

ReplayCommand with_words(ReplayCommand options) {
  if (options.words.size() == 2 && !options.gdb) {
    throw UsageError("name one file: ricercar replay FILE");
  }
  options.file = options.words.back();
  return options;
}

int replay(const ReplayCommand& given) {
  const ReplayCommand options = with_words(given);
  const std::string node = options.words.size() == 2 ? options.words[0] : "";
  const Schedule schedule = read_schedule(options.file);
  const Program program = program_of(schedule, options.program);
  if (options.gdb && program.is_cluster())
    return replay_node_in_gdb(program, schedule, node, options.stop);
  if (options.stop != 0) {
    throw UsageError(
        "--switch is for a node under gdb: ricercar replay --gdb NODE --switch N FILE");
  }
  if (!node.empty()) {
    throw UsageError(
        fmt::format("'{0}' is not about nodes: ricercar replay --gdb {0}", options.file));
  }
  if (options.gdb) {
    fmt::print(
        "ricercar: gdb runs the program up to the last switch before the bug and stops there.\n"
        "  ricercar-threads       where every thread is in your code\n"
        "  ricercar-next-switch   on to where the next thread hands over to another one\n"
        "  ricercar-prev-switch   back to the switch before, by replaying up to it\n"
        "  continue               on to the bug\n"
        "  thread 2               look at another thread; backtrace, up and print as always\n\n");
    std::fflush(stdout);
    debug_replay(program, schedule);
  }
  const int status = options.times > 1 ? replay_often(program, schedule, options)
                                       : replay_once(program, schedule, options);
  return status == exit_bug && !has_bug(schedule) ? exit_ok : status;
}

}  // namespace

void add_replay(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ReplayCommand>();
  CLI::App* command = app.add_subcommand("replay", "Run one recorded schedule again");
  command
      ->add_option("FILE", options->words,
                   "A schedule that `ricercar run` has saved; before it the node for --gdb")
      ->required()
      ->expected(1, 2)
      ->type_name("");
  command
      ->add_option("--backend", options->backend,
                   "fibers (fast) or threads (real threads, for debuggers)")
      ->capture_default_str();
  command->add_option("--program", options->program, "Run this file instead of the recorded path")
      ->type_name("FILE");
  command->add_flag(
      "--gdb", options->gdb,
      "Start gdb, stopped at the last switch before the bug; of one node: --gdb NODE FILE");
  command
      ->add_option("--switch", options->stop,
                   "Of --gdb NODE: stop when it gets the turn from other nodes for the N-th time")
      ->check(number_validator(1))
      ->type_name("N");
  command->add_flag("-q,--quiet", options->quiet, "Only the exit status");
  command->add_flag("--full", options->full, "Show every step of the trace");
  command->add_option("-n,--times", options->times, "Replay N times and compare the traces")
      ->check(number_validator(1))
      ->capture_default_str()
      ->type_name("N");
  set_help(
      *command, "ricercar replay [OPTIONS] FILE",
      R"(Exit status: 1 the recorded bug was reproduced, 0 it was not or there was none, 2 a bad file or another build of
the program, 3 the replay diverged.

Examples:
  ricercar replay ricercar-out/bug-1.json                      run it again, with its output
  ricercar replay --gdb ricercar-out/bug-1.json                stop in gdb before the bug
  ricercar replay --gdb server ricercar-out/bug-1.json         the same in a node of a cluster
  ricercar replay --backend=threads ricercar-out/bug-1.json    on real threads
  ricercar replay -n 1000 ricercar-out/bug-1.json              is it the same every time?
)");
  command->callback([options, &invocation] { invocation.status = replay(*options); });
}

}  // namespace ricercar::inline cli
