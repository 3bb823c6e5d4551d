// The report of a recording in a world's own words, as that of machines: everybody has a name, so
// no symbols are needed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/machine_story.h"
#include "report/build.h"
#include "report/detail_builder.h"
#include "report/message_places.h"
#include "report/source_files.h"
#include "report/why.h"

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
std::string place_of_call(const std::string& words) {
  const std::size_t at = words.rfind(" at ");
  return at == std::string::npos ? "" : words.substr(at + 4);
}

// "fails: assertion `x' failed in int main() (main.cc:11)"
std::string place_of_failure(const std::string& words) {
  const std::size_t open = words.rfind('(');
  const bool is_at_end = open != std::string::npos && words.ends_with(')');
  return is_at_end ? words.substr(open + 1, words.size() - open - 2) : "";
}

Place place_in(const std::string& words) {
  const std::optional<FilePlace> found = words.empty() ? std::nullopt : file_place(words);
  Place place;
  if (!found) return place;
  place.frame.file = found->file;
  place.frame.line = static_cast<unsigned>(found->line);
  place.frame.is_users = true;
  place.short_file = found->file.substr(found->file.rfind('/') + 1);
  return place;
}

ReportStep detailed_step(const RecordedAct& act, ReportStep step) {
  if (act.kind == ActKind::fail) step.place = place_in(place_of_failure(step.what));
  if (act.kind == ActKind::call) step.place = place_in(place_of_call(step.what));
  step.is_outcome = act.kind == ActKind::fail;
  const bool is_told_apart = act.kind == ActKind::call && step.place.is_known();
  if (is_told_apart) step.what = step.object = step.what.substr(0, step.what.rfind(" at "));
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

constexpr std::size_t most_merged_width = 72;

// "calls " or "thread 2 calls "; empty: it is no call.
std::string caller_in(const ReportStep& step) {
  constexpr std::string_view verb = "calls ";
  const std::size_t at =
      step.operation == name_of(ActKind::call) ? step.what.find(verb) : std::string::npos;
  return at == std::string::npos ? "" : step.what.substr(0, at + verb.size());
}

// The calls of one thread with nobody in between, as far as they fit a line: "calls recv() at
// a.c:3, send() at a.c:4".
std::vector<ReportStep> with_merged_calls(std::vector<ReportStep> rows,
                                          const std::set<std::uint64_t>& named) {
  std::vector<ReportStep> merged;
  bool may_go_on = false;  // the last one may get another one
  for (ReportStep& row : rows) {
    const std::string caller = caller_in(row);
    const bool is_plain = !caller.empty() && !named.contains(row.number);
    const bool goes_on = may_go_on && is_plain && merged.back().lane == row.lane &&
                         caller_in(merged.back()) == caller;
    const std::string words =
        goes_on ? merged.back().what + ", " + row.what.substr(caller.size()) : "";
    may_go_on = is_plain;
    if (!goes_on || words.size() > most_merged_width) {
      merged.push_back(std::move(row));
      continue;
    }
    ReportStep& last = merged.back();
    if (last.parts.empty()) last.parts.push_back(last);
    last.parts.push_back(std::move(row));
    last.what = words;
    last.object = "";
  }
  return merged;
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

  // The last rows, and all that tell what went wrong on purpose, or that are named elsewhere.
  std::vector<ReportStep> shown(const std::set<std::uint64_t>& named) {
    rows_ = with_merged_calls(std::move(rows_), named);
    std::vector<ReportStep> result;
    const std::size_t first = rows_.size() <= most_steps ? 0 : rows_.size() - most_steps;
    std::uint64_t left_out = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bool is_wanted =
          rows_[i].operation == name_of(ActKind::fault) || named.contains(rows_[i].number);
      if (i < first && !is_wanted) {
        left_out += rows_[i].gap.is_one() ? rows_[i].gap.repetitions
                                          : std::max<std::uint64_t>(rows_[i].parts.size(), 1);
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

std::vector<ReportStep> shortened(std::vector<ReportStep> steps,
                                  const std::set<std::uint64_t>& named) {
  Folded folded;
  for (ReportStep& step : steps) folded.add(std::move(step));
  return folded.shown(named);
}

std::set<std::uint64_t> named_by(const Report& report) {
  std::set<std::uint64_t> numbers;
  for (const WhyPlace& place : report.why.places) numbers.insert(place.number);
  if (report.last_chance) {
    numbers.insert(report.last_chance->number);
    numbers.insert(report.last_chance->order_event);
  }
  return numbers;
}

// Then the order of messages is told already.
bool is_about_order(const Why& why) {
  return why.pattern == "message-race" || why.pattern == "overtaken" ||
         why.pattern == "stale-answer" || why.pattern == "changed-between";
}

void add_last_chance(Report& report, const Recording& recording) {
  if (!report.last_chance || !report.is_same_bug) return;
  ReportChance& chance = *report.last_chance;
  if (is_about_order(report.why)) chance.order.clear();
  const auto act = act_of_step(recording, chance.step);
  if (chance.passes && act) {
    chance.lane = task_id(recording.acts[*act].machine);
    chance.number = *act + 1;
    chance.taken = words_of_act(recording, *act);
  }
  chance.sentences = sentences_of(chance);
}

void add_conditions(std::vector<ReportStep>& steps, const Recording& recording) {
  for (const RecordedCondition& condition : recording.conditions) {
    if (condition.acts == 0 || condition.acts > steps.size()) continue;
    steps[condition.acts - 1].becomes.push_back(
        {task_id(condition.machine), condition.state, condition.variables});
  }
}

}  // namespace

void add_story(Report& report, const Recording& recording, bool detailed) {
  const std::string message =
      report.is_same_bug ? with_source_lines(recording.outcome.message) : report.message;
  report.headline = message.empty() ? report.kind : fmt::format("{}: {}", report.kind, message);
  for (const RecordedMachine& machine : recording.machines) {
    report.lanes.push_back(lane_of(machine));
  }
  std::vector<ReportStep> steps;
  Messages messages;
  for (const RecordedAct& act : recording.acts) {
    ReportStep step = step_of(act, report);
    for (Lane& lane : report.lanes) lane.steps += lane.id == step.lane ? 1 : 0;
    step.number = static_cast<std::uint64_t>(&act - recording.acts.begin()) + 1;
    step.event = step.number;
    messages.add(act, step);
    if (act.sent_by != 0) step.sent_by = act.sent_by;
    if (detailed) report.all_steps.push_back(detailed_step(act, step));
    steps.push_back(std::move(step));
  }
  if (report.is_same_bug) report.why = explain_messages(report, steps);
  add_last_chance(report, recording);
  if (report.is_full) add_conditions(steps, recording);
  report.steps = report.is_full ? std::move(steps) : shortened(std::move(steps), named_by(report));
  report.step_count = recording.acts.size;
  if (!detailed) return;
  mark_end(report);
  report.detail = detail_of_story(recording, report);
}

}  // namespace ricercar::inline report
