#include "report/build.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "report/named_fields.h"

namespace ricercar::inline report {
namespace {

// A schedule names another one as seen from its own folder.
std::string path_beside(const std::string& path, const std::string& name) {
  return name.empty() ? "" : (std::filesystem::path(path).parent_path() / name).string();
}

std::optional<ShorterExecution> shorter_execution(const Schedule& schedule,
                                                  const std::string& path) {
  if (!schedule.minimised) return std::nullopt;
  const Minimised& minimised = *schedule.minimised;
  return ShorterExecution{minimised.before, minimised.after, minimised.executions,
                          path_beside(path, minimised.original)};
}

// What the recording tells of it is added later.
std::optional<ReportChance> last_chance(const Schedule& schedule, const std::string& path) {
  if (!schedule.last_chance) return std::nullopt;
  ReportChance chance;
  static_cast<LastChance&>(chance) = *schedule.last_chance;
  chance.instead = schedule.last_chance->instead;
  chance.is_conflict = schedule.last_chance->is_conflict;
  chance.is_in_round = schedule.round != 0 && chance.step + schedule.round >= schedule.steps;
  chance.order = schedule.last_chance->order;
  chance.order_event = schedule.last_chance->order_event;
  chance.passing = path_beside(path, schedule.last_chance->passing);
  return chance;
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
  if (schedule.told_steps != 0) report.followed_steps = schedule.max_steps;
  report.last_chance = last_chance(schedule, input.schedule_path);
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
    const NamedStory named(recording, symbols);
    add_story(report, named.recording(), input.detailed);
  }
  return report;
}

}  // namespace ricercar::inline report
