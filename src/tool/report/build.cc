#include "report/build.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace ricercar::inline report {
namespace {

// The original is named as seen from the schedule's own folder.
std::optional<ShorterExecution> shorter_execution(const Schedule& schedule,
                                                  const std::string& path) {
  if (!schedule.minimised) return std::nullopt;
  const Minimised& minimised = *schedule.minimised;
  const std::string original =
      minimised.original.empty()
          ? ""
          : (std::filesystem::path(path).parent_path() / minimised.original).string();
  return ShorterExecution{minimised.before, minimised.after, minimised.executions, original};
}

}  // namespace

Report report_without_recording(const ReportInput& input) {
  const Schedule& schedule = *input.schedule;
  Report report;
  report.kind = schedule.kind;
  report.message = schedule.message;
  report.headline = fmt::format("{}: {}", schedule.kind, schedule.message);
  report.has_recording = false;
  report.is_same_bug = false;
  report.warning = input.warning;
  report.program = schedule.program;
  report.arguments = schedule.arguments;
  report.strategy = schedule.strategy;
  report.seed = schedule.seed;
  report.execution = schedule.execution;
  report.schedule = input.schedule_path;
  report.minimised = shorter_execution(schedule, input.schedule_path);
  report.output = input.output;
  report.is_output_cut = input.output_is_cut;
  report.is_full = input.full;
  return report;
}

Report build_report(const ReportInput& input, Symbols& symbols) {
  const Recording& recording = *input.recording;
  Report report = report_without_recording(input);
  report.has_recording = true;
  report.is_same_bug = info(recording.outcome.kind).name == report.kind;
  report.outcome = recording.outcome.kind;
  report.lane = recording.outcome.task;
  report.step_count = recording.steps;
  report.is_truncated = recording.truncated;
  if (report.is_same_bug) report.unseen = input.unseen;
  report.world = recording.world;
  if (report.is_told_by_address()) {
    add_threads(report, recording, symbols, input.detailed);
  } else {
    add_story(report, recording, input.detailed);
  }
  return report;
}

}  // namespace ricercar::inline report
