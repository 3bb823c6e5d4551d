#include "cli/bug_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "report/divergence.h"
#include "report/instrumentation.h"
#include "report/unseen_libraries.h"

namespace ricercar {
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
    return "Perhaps somebody killed the process, or memory ran out.";
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
  const std::string& reason = replay.supervised().message;
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
        "the bug did not come again: at step {} this was expected: {}; and this was found: {}. {}",
        recording->divergence.step, text.expected, text.found, likely_cause(schedule));
  }
  if (!replay.shows_the_same_kind()) {
    return fmt::format("the bug ({}) did not come again; the replay ended with {}. {}",
                       schedule.kind, info(recording->outcome.kind).name, likely_cause(schedule));
  }
  if (!replay.shows_the_same_trace()) {
    return fmt::format("the bug came again, but on another trace. {}", nondeterminism_advice);
  }
  return {};
}

// What may order the accesses of a data race without being seen.
void add_unseen(ReportInput& input, const std::string& program) {
  if (input.recording->outcome.kind != OutcomeKind::data_race) return;
  input.unseen_libraries = unseen_libraries(*input.recording, program);
  for (const UninstrumentedCode& code : uninstrumented_code_in(program)) {
    if (!code.file.empty()) input.unseen_files.push_back(fs::path(code.file).filename());
  }
}

ReportInput input_of(const FinishedReplay& replay, const Schedule& schedule,
                     const std::string& path) {
  ReportInput input;
  input.recording = replay.recording();
  input.schedule = &schedule;
  input.schedule_path = path;
  input.output = replay.supervised().output;
  input.output_is_cut = replay.supervised().output_is_cut;
  input.warning = warning_of(replay, schedule);
  if (input.recording != nullptr) add_unseen(input, replay.program().path);
  return input;
}

// Without a recording there is only what the search itself saw.
std::string text_without_recording(const FinishedReplay& replay, const Schedule& schedule) {
  return fmt::format("{}: {}\n{}\n", schedule.kind, schedule.message, warning_of(replay, schedule));
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

// Nobody should take the schedule for that of a bug.
void set_aside(const std::string& out, std::size_t number, std::string& path) {
  const std::string name = fmt::format("{}/unconfirmed-{}.json", out, number);
  if (!path.empty() && std::rename(path.c_str(), name.c_str()) == 0) path = name;
}

}  // namespace

std::string replay_text(const FinishedReplay& replay, const Schedule& schedule,
                        const std::string& schedule_path, const TextOptions& options) {
  if (replay.recording() == nullptr) return text_without_recording(replay, schedule);
  const auto symbols = debug_symbols(*replay.recording(), replay.program().path);
  return text_report(input_of(replay, schedule, schedule_path), *symbols, options);
}

BugReport report_bug(const Program& program, const Schedule& schedule, const ProgramInput& input,
                     const std::string& out, std::size_t number, double max_seconds,
                     const TextOptions& options) {
  BugReport report;
  BugSummary& summary = report.summary;
  summary.kind = schedule.kind;
  summary.message = schedule.message;
  summary.execution = schedule.execution;
  summary.steps = schedule.steps;
  save(fmt::format("{}/bug-{}.json", out, number), summary.schedule, report.problems,
       [&](const std::string& path) { write_schedule(path, schedule); });

  const FinishedReplay replay(program, schedule, input, {.max_seconds = max_seconds});
  report.interrupted = replay.supervised().interrupted;
  summary.confirmed = replay.shows_the_same_trace() && replay.shows_the_bug();
  if (!replay.shows_the_bug() && !report.interrupted) {
    summary.doubt = warning_of(replay, schedule);
    set_aside(out, number, summary.schedule);
  }
  const std::string name = summary.doubt.empty() ? "bug" : "unconfirmed";
  std::string plain_text;
  if (replay.recording() == nullptr) {
    report.text = plain_text = text_without_recording(replay, schedule);
  } else {
    const std::unique_ptr<Symbols> symbols = debug_symbols(*replay.recording(), program.path);
    const ReportInput report_input = input_of(replay, schedule, summary.schedule);
    if (summary.confirmed) summary.message = headline(report_input, *symbols);
    summary.places = places(report_input, *symbols);
    report.text = text_report(report_input, *symbols, options);
    plain_text = text_report(report_input, *symbols, {.full = options.full});
  }
  save(fmt::format("{}/{}-{}.txt", out, name, number), summary.report, report.problems,
       [&](const std::string& path) { write_file(path, plain_text); });
  return report;
}

}  // namespace ricercar
