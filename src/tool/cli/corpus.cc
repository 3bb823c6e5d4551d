#include "cli/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "report/divergence.h"
#include "report/program_names.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> schedules_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// One folder may serve several programs. A check of a test is replayed by its test program alone.
bool is_of(const Schedule& schedule, const Program& program) {
  return schedule.check_number == 0 &&
         fs::path(schedule.program).filename() == fs::path(program.path).filename() &&
         schedule.arguments == program.arguments;
}

// As if it had been recorded with this build. What only addresses of the other one tell is left
// out.
Schedule for_this_build(Schedule schedule, const Program& program) {
  const std::string build = build_of(program);
  schedule.program = program.path;
  if (schedule.build_id == build) return schedule;
  schedule.build_id = build;
  schedule.operations.clear();
  return schedule;
}

std::string change_of(const FinishedReplay& replay, bool is_same_build) {
  const RecordedDivergence& divergence = replay.recording()->divergence;
  const auto symbols = debug_symbols(*replay.recording(), replay.program().path);
  const DivergenceText text = divergence_text(*replay.recording(), *symbols);
  return fmt::format(
      "it no longer replays, because {}: at step {} this was expected: {}; and "
      "this was found: {}",
      is_same_build ? "the program is not deterministic" : "the program has changed",
      divergence.step, text.expected, text.found);
}

// What came of a replay; the schedule becomes that of what was seen.
CorpusEntry judge(const FinishedReplay& replay, bool is_same_build, Schedule& schedule) {
  CorpusEntry entry;
  entry.kind = schedule.kind;
  const Recording* recording = replay.recording();
  if (recording == nullptr) {
    entry.result = CorpusEntry::changed;
    entry.reason = "it could not be replayed: " + replay.supervised().message;
    return entry;
  }
  if (recording->divergence.diverged) {
    entry.result = CorpusEntry::changed;
    entry.reason = change_of(replay, is_same_build);
    return entry;
  }
  const RecordedOutcome& outcome = recording->outcome;
  const std::string kind(info(outcome.kind).name);
  if (outcome.kind == OutcomeKind::ok) {
    entry.result = CorpusEntry::fixed;
    entry.reason = fmt::format("its bug ({}) no longer shows on this schedule", schedule.kind);
    return entry;
  }
  entry.reason = kind == schedule.kind
                     ? fmt::format("its bug ({}) is still there", kind)
                     : fmt::format("its bug ({}) is another one by now ({})", schedule.kind, kind);
  schedule.kind = kind;
  schedule.message = outcome.message;
  schedule.trace_hash = recording->trace_hash;
  return entry;
}

std::string label_of(const BugReportOptions& options, std::size_t shown) {
  return shown == 0 ? options.label : fmt::format("{}-{}", options.label, shown + 1);
}

// FNV-1a of the decisions: the same bug on the same schedule is kept once.
std::string name_of(const Schedule& schedule) {
  std::uint32_t hash = 2166136261U;
  for (const std::uint16_t decision : schedule.decisions) hash = (hash ^ decision) * 16777619U;
  return fmt::format("{}.{}-{:08x}.json", fs::path(schedule.program).filename().string(),
                     schedule.kind, hash);
}

}  // namespace

Corpus::Corpus(std::string folder) : folder_(std::move(folder)) { make_folder(folder_); }

CorpusReplay Corpus::replay(const Program& program, const ProgramInput& input,
                            const BugReportOptions& options) const {
  CorpusReplay result;
  for (const std::string& file : schedules_in(folder_)) {
    Schedule schedule;
    try {
      schedule = read_schedule(file);
    } catch (const UsageError& error) {
      result.entries.push_back({file, "", CorpusEntry::unreadable, error.what()});
      continue;
    }
    if (!is_of(schedule, program)) continue;
    const bool is_same_build = schedule.build_id == build_of(program);
    schedule = for_this_build(std::move(schedule), program);
    CorpusEntry entry;
    {
      ReplayOptions replay_options;
      replay_options.max_seconds = options.max_seconds;
      const FinishedReplay replay(program, schedule, input, replay_options);
      result.interrupted = replay.supervised().interrupted;
      result.steps += replay.control().steps;
      result.seconds += replay.supervised().seconds;
      if (result.interrupted) return result;
      entry = judge(replay, is_same_build, schedule);
      entry.file = file;
    }
    result.entries.push_back(entry);
    if (entry.result != CorpusEntry::shown) continue;
    BugReportOptions labelled = options;
    labelled.label = label_of(options, result.bugs.size());
    result.bugs.push_back(report_bug(program, schedule, input, labelled));
  }
  return result;
}

void Corpus::add(const BugSummary& bug) const {
  if (bug.schedule.empty()) return;
  const Schedule schedule = read_schedule(bug.schedule);
  write_schedule(folder_ + "/" + name_of(schedule), schedule);
}

bool is_same_bug(const BugSummary& one, const BugSummary& other) {
  const auto is_same_place = [](const PlaceSummary& left, const PlaceSummary& right) {
    return left.role == right.role && left.file == right.file && left.line == right.line;
  };
  return one.kind == other.kind &&
         std::equal(one.places.begin(), one.places.end(), other.places.begin(), other.places.end(),
                    is_same_place);
}

}  // namespace ricercar::inline cli
