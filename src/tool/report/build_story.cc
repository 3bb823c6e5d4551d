// The report of a recording in a world's own words, as that of machines: everybody has a name, so
// no symbols are needed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/machine_story.h"
#include "report/build.h"
#include "report/detail_builder.h"
#include "report/message_places.h"
#include "report/source_files.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t most_steps = 60;  // unless everything is asked for

std::string phase_of(const RecordedMachine& machine) {
  switch (machine.phase) {
    case MachinePhase::receiving:
      return "receiving";
    case MachinePhase::halted:
      return "halted";
    case MachinePhase::crashed:
      return "crashed";
    default:
      return {};
  }
}

Lane lane_of(const RecordedMachine& machine) {
  Lane lane;
  lane.id = task_id(machine.number);
  lane.is_timer = machine.phase == MachinePhase::timer;
  lane.name = machine.name;
  lane.phase = phase_of(machine);
  lane.state = machine.state;
  lane.variables = machine.variables;
  lane.queue = *machine.waiting == '\0' ? "" : machine.waiting + 1;  // without the space
  lane.ending = words_of(machine);
  return lane;
}

TaskId target_of(const RecordedAct& act) {
  return act.target == no_machine ? no_task : task_id(act.target);
}

// Which step has sent what is received in another one. A queue keeps the order of what is alike.
class Messages {
 public:
  void add(const RecordedAct& act, ReportStep& step) {
    switch (act.kind) {
      case ActKind::send:
      case ActKind::fire:
        sent_.emplace(std::pair(act.target, step.object), step.number);
        break;
      case ActKind::handle:
      case ActKind::receive:
        step.sent_by = take({act.machine, step.object});
        break;
      case ActKind::crash:
        std::erase_if(sent_, [&](const auto& each) { return each.first.first == act.target; });
        break;
      default:
        break;
    }
  }

 private:
  using Message = std::pair<std::uint32_t, std::string>;  // to whom, and what

  std::uint64_t take(const Message& message) {
    const auto found = sent_.find(message);
    if (found == sent_.end()) return 0;
    const std::uint64_t number = found->second;
    sent_.erase(found);
    return number;
  }

  std::multimap<Message, std::uint64_t> sent_;
};

ReportStep step_of(const RecordedAct& act, const Report& report) {
  ReportStep step;
  step.lane = task_id(act.machine);
  step.operation = name_of(act.kind);
  step.object = act.event;
  step.state = act.state;
  step.receiver = target_of(act);
  step.what = words_of(act, act.target == no_machine ? "" : report.name(step.receiver));
  if (is_told_in_words(act.kind)) step.what = step.object = with_source_lines(step.what);
  if (act.kind == ActKind::log) step.value = std::exchange(step.state, "");
  if (act.kind == ActKind::create) step.first_created = step.last_created = step.receiver;
  if (act.kind == ActKind::choose) step.value = std::to_string(act.chosen);
  step.ends = act.kind == ActKind::halt;
  return step;
}

// What nodes do is told with its place: "calls send() at net.h:59".
Place place_in(const std::string& words) {
  const std::size_t at = words.rfind(" at ");
  const std::optional<FilePlace> found =
      at == std::string::npos ? std::nullopt : file_place(words.substr(at + 4));
  Place place;
  if (!found) return place;
  place.frame.file = found->file;
  place.frame.line = static_cast<unsigned>(found->line);
  place.frame.is_users = true;
  place.short_file = found->file.substr(found->file.rfind('/') + 1);
  return place;
}

ReportStep detailed_step(const RecordedAct& act, ReportStep step) {
  if (act.kind == ActKind::call) step.place = place_in(step.what);
  if (step.place.is_known()) step.what = step.object = step.what.substr(0, step.what.rfind(" at "));
  step.is_outcome = act.kind == ActKind::fail;
  return step;
}

// Of an execution that no step of its own ended, as that of a monitor, the last one is where it
// shows.
void mark_end(Report& report) {
  const bool is_told = std::any_of(report.all_steps.begin(), report.all_steps.end(),
                                   [](const ReportStep& step) { return step.is_outcome; });
  if (is_told || report.outcome == OutcomeKind::ok || report.all_steps.empty()) return;
  report.all_steps.back().is_outcome = true;
}

bool is_same(const ReportStep& a, const ReportStep& b) {
  return a.lane == b.lane && a.operation == b.operation && a.what == b.what;
}

// Who calls the same again and again, as a loop that waits for something does, is told once.
class Folded {
 public:
  void add(ReportStep step) {
    const bool is_repeated = step.operation == name_of(ActKind::call) && last_ < rows_.size() &&
                             is_same(rows_[last_], step);
    if (!is_repeated) {
      last_ = rows_.size();
      rows_.push_back(std::move(step));
      return;
    }
    if (!rows_.back().gap.is_one()) rows_.emplace_back().gap.period = 1;
    ++rows_.back().gap.repetitions;
  }

  // The last rows, and all that tell what went wrong on purpose.
  std::vector<ReportStep> shown() {
    std::vector<ReportStep> result;
    const std::size_t first = rows_.size() <= most_steps ? 0 : rows_.size() - most_steps;
    std::uint64_t left_out = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i < first && rows_[i].operation != name_of(ActKind::fault)) {
        left_out += rows_[i].gap.is_one() ? rows_[i].gap.repetitions : 1;
        continue;
      }
      if (left_out != 0) result.emplace_back().gap.left_out = std::exchange(left_out, 0);
      result.push_back(std::move(rows_[i]));
    }
    return result;
  }

 private:
  std::vector<ReportStep> rows_;
  std::size_t last_ = 0;  // the last row that is no gap
};

}  // namespace

void add_story(Report& report, const Recording& recording, bool detailed) {
  const std::string message =
      report.is_same_bug ? with_source_lines(recording.outcome.message) : report.message;
  report.headline = message.empty() ? report.kind : fmt::format("{}: {}", report.kind, message);
  for (const RecordedMachine& machine : recording.machines) {
    report.lanes.push_back(lane_of(machine));
  }
  Folded folded;
  Messages messages;
  for (const RecordedAct& act : recording.acts) {
    ReportStep step = step_of(act, report);
    for (Lane& lane : report.lanes) lane.steps += lane.id == step.lane ? 1 : 0;
    step.number = static_cast<std::uint64_t>(&act - recording.acts.begin()) + 1;
    step.event = step.number;
    messages.add(act, step);
    if (act.sent_by != 0) step.sent_by = act.sent_by;
    if (detailed) report.all_steps.push_back(detailed_step(act, step));
    if (report.is_full) {
      report.steps.push_back(std::move(step));
    } else {
      folded.add(std::move(step));
    }
  }
  if (!report.is_full) report.steps = folded.shown();
  report.step_count = recording.acts.size;
  if (!detailed) return;
  mark_end(report);
  report.detail = detail_of_story(recording, report);
}

}  // namespace ricercar::inline report
