#include "cli/bug_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "cli/last_chance.h"
#include "cli/terminal.h"
#include "report/build.h"
#include "report/divergence.h"
#include "report/instrumentation.h"
#include "report/message_places.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* nondeterminism_advice =
    "The program depends on something that Ricercar does not control: files or sockets that "
    "changed, "
    "the environment, uninitialised memory, or threads that it does not see. Take that out of the "
    "test, or replay several times: ricercar replay -n 10 FILE";

// What the kind of a bug says about why it did not come again.
std::string likely_cause(const Schedule& schedule) {
  if (schedule.kind == info(OutcomeKind::hang).name) {
    return "Perhaps the machine was busy, or the program waited for something outside. Allow more "
           "time with --hang.";
  }
  if (schedule.message.find("SIGKILL") != std::string::npos) {
    return "Perhaps the process was killed, or memory ran out.";
  }
  return nondeterminism_advice;
}

std::string without_recording(const FinishedReplay& replay) {
  if (replay.supervised().interrupted) return "the replay was interrupted";
  if (replay.supervised().out_of_time) {
    return fmt::format(
        "the replay did not end within {:.0f} seconds, which is five times what the search had "
        "taken; allow more with --time, or: ricercar replay FILE",
        replay.supervised().seconds);
  }
  const bool has_failed = replay.control().status == Status::failed;
  const std::string reason =
      has_failed ? with_source_lines(replay.control().error) : replay.supervised().message;
  return fmt::format("the schedule could not be replayed: {}",
                     reason.empty() ? "the process ended without a recording" : reason);
}

std::string warning_of(const FinishedReplay& replay, const Schedule& schedule) {
  const Recording* recording = replay.recording();
  if (recording == nullptr) return without_recording(replay);
  if (recording->divergence.diverged) {
    const auto symbols = debug_symbols(*recording, replay.program().path);
    const DivergenceText text = divergence_text(*recording, *symbols);
    return fmt::format(
        "the bug did not reproduce: at step {} this was expected: {}; and this was found: {}. {}",
        recording->divergence.step, text.expected, text.found, likely_cause(schedule));
  }
  if (!replay.shows_the_same_kind()) {
    return fmt::format("the bug ({}) did not reproduce; the replay ended with {}. {}",
                       schedule.kind, info(recording->outcome.kind).name, likely_cause(schedule));
  }
  if (!replay.shows_the_same_trace()) {
    return fmt::format("the bug was reproduced, but on another trace. {}", nondeterminism_advice);
  }
  return {};
}

// What may order the accesses of a data race without being seen.
std::vector<std::string> unseen_code(const Recording& recording, const std::string& program) {
  if (recording.outcome.kind != OutcomeKind::data_race) return {};
  std::vector<std::string> names = unseen_libraries(recording, program);
  for (const UninstrumentedCode& code : uninstrumented_code_in(program)) {
    if (!code.file.empty()) names.push_back(fs::path(code.file).filename());
  }
  return names;
}

// Those that are known.
std::vector<PlaceSummary> summary_of(const Report& report) {
  std::vector<PlaceSummary> result;
  for (const BugPlace& each : report.places) {
    const Frame& frame = each.place.frame;
    if (!each.place.is_known()) continue;
    result.push_back({each.role, report.titled(each.lane), frame.function, frame.file, frame.line});
  }
  return result;
}

template <typename Write>
void save(const std::string& path, std::string& kept_path, std::string& problems, Write write) {
  try {
    write(path);
    kept_path = path;
  } catch (const UsageError& error) {
    problems += fmt::format("{}\n", error.what());
  }
}

// Without what tells the files of a bug apart.
std::string path_of(const BugReportOptions& options, const char* name = "bug") {
  return fmt::format("{}/{}-{}", options.out, name, options.label);
}

// Nobody should take the schedule for that of a bug.
void set_aside(const BugReportOptions& options, std::string& path) {
  const std::string name = path_of(options, "unconfirmed") + ".json";
  if (!path.empty() && std::rename(path.c_str(), name.c_str()) == 0) path = name;
}

}  // namespace

Report report_of(const FinishedReplay& replay, const Schedule& schedule,
                 const std::string& schedule_path, bool full, bool detailed) {
  ReportInput input;
  input.recording = replay.recording();
  input.schedule = &schedule;
  input.schedule_path = schedule_path;
  input.output = replay.supervised().output;
  input.output_is_cut = replay.supervised().output_is_cut;
  input.warning = warning_of(replay, schedule);
  input.full = full;
  const auto with_tool = [](Report report) {
    report.tool = tool_command();
    return report;
  };
  if (input.recording == nullptr) return with_tool(report_without_recording(input));
  input.detailed = detailed;
  if (!replay.program().is_cluster()) {
    input.unseen = unseen_code(*input.recording, replay.program().path);
  }
  const auto symbols = debug_symbols(*input.recording, replay.program().path);
  return with_tool(build_report(input, *symbols));
}

// Replays it, and says what was seen.
static void confirm(const Program& program, const Schedule& schedule, const ProgramInput& input,
                    const BugReportOptions& options, BugReport& report) {
  BugSummary& summary = report.summary;
  ReplayOptions replay_options;
  replay_options.max_seconds = options.max_seconds;
  if (program.is_cluster()) replay_options.node_output = path_of(options);
  const FinishedReplay replay(program, schedule, input, replay_options);
  report.interrupted = replay.supervised().interrupted;
  summary.confirmed = replay.shows_the_same_trace() && replay.shows_the_bug();
  if (!replay.shows_the_bug() && !report.interrupted) {
    summary.doubt = warning_of(replay, schedule);
    set_aside(options, summary.schedule);
  }
  summary.details = report_of(replay, schedule, summary.schedule, options.full);
  if (options.minimise) summary.details.not_minimised = why_not_minimised(schedule);
  summary.places = summary_of(summary.details);
  if (summary.confirmed) summary.message = summary.details.headline;
}

static BugReport report_schedule(const Program& program, const Schedule& schedule,
                                 const ProgramInput& input, const BugReportOptions& options) {
  BugReport report;
  BugSummary& summary = report.summary;
  summary.kind = schedule.kind;
  summary.message = schedule.message;
  summary.execution = schedule.execution;
  summary.steps = schedule.steps;
  save(path_of(options) + ".json", summary.schedule, report.problems,
       [&](const std::string& path) { write_schedule(path, schedule); });
  confirm(program, schedule, input, options, report);
  const bool is_race = summary.confirmed && summary.details.outcome == OutcomeKind::data_race;
  if (is_race && options.look_past_race) summary.details.past_race = options.look_past_race();
  const Reporter& reporter = reporter_by_name("text");
  report.text = reporter.write(summary.details, options.text);
  const std::string path = path_of(options, summary.doubt.empty() ? "bug" : "unconfirmed");
  save(path + std::string(reporter.extension), summary.report, report.problems,
       [&](const std::string& file) { write_file(file, reporter.write(summary.details, {})); });
  return report;
}

// Of an earlier run, or of a schedule that is none.
static void forget_files(const std::string& path) {
  for (const char* ending : {".json", ".txt"}) std::remove((path + ending).c_str());
}

// The same, with the execution beside it that is nearest to it and passes.
static BugReport report_with_last_chance(const Program& program, Schedule schedule,
                                         const ProgramInput& input,
                                         const BugReportOptions& options) {
  std::string problems;
  bool interrupted = false;
  if (auto found = find_last_chance(program, schedule, input, *options.minimise)) {
    std::string passing;
    interrupted = found->interrupted;
    save(path_of(options) + ".json", passing, problems,
         [&](const std::string& path) { save_passing(path, *found, schedule); });
  }
  BugReport report = report_schedule(program, schedule, input, options);
  if (!report.summary.doubt.empty()) forget_files(path_of(options) + "-passing");
  report.interrupted = report.interrupted || interrupted;
  report.problems = problems + report.problems;
  return report;
}

static BugReport report_shorter(const Program& program, const Schedule& found,
                                ShorterSchedule shorter, const ProgramInput& input,
                                const BugReportOptions& options) {
  std::string problems;
  std::string original;
  if (shorter.is_shorter) {
    save(path_of(options) + "-original.json", original, problems,
         [&](const std::string& path) { write_schedule(path, found); });
    shorter.schedule.minimised->original = fs::path(original).filename();
  }
  BugReport report = report_with_last_chance(program, shorter.schedule, input, options);
  report.summary.minimised_seconds = shorter.seconds;
  report.interrupted = report.interrupted || shorter.interrupted;
  report.problems = problems + report.problems;
  return report;
}

BugReport report_bug(const Program& program, const Schedule& schedule, const ProgramInput& input,
                     const BugReportOptions& options) {
  for (const char* other : {"-original", "-passing"}) forget_files(path_of(options) + other);
  std::optional<ShorterSchedule> shorter;
  if (options.minimise) shorter = minimise(program, schedule, input, *options.minimise);
  if (!shorter) return report_schedule(program, schedule, input, options);
  const bool is_shorter = shorter->is_shorter;
  BugReport report = report_shorter(program, schedule, std::move(*shorter), input, options);
  if (report.summary.doubt.empty() || !is_shorter) return report;
  // What was found may come again nevertheless.
  forget_files(path_of(options, "unconfirmed"));
  forget_files(path_of(options) + "-original");
  return report_with_last_chance(program, schedule, input, options);
}

}  // namespace ricercar::inline cli
