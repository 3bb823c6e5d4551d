// What the steps of machines and nodes owe to each other: who has sent what is received, whom a
// step creates; and what every machine has in its queue and which state it is in.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "model/dependence.h"
#include "model/machine_story.h"
#include "report/detail_builder.h"
#include "report/style.h"
#include "report/why.h"

namespace ricercar::inline report {
namespace {

class Story {
 public:
  Story(const Recording& recording, const Report& report)
      : recording_(recording), report_(report) {}

  ReportDetail build() {
    for (std::size_t row = 0; row < report_.all_steps.size(); ++row) {
      builder_.at(row);
      look_at(row, report_.all_steps[row]);
      show_conditions(row);
    }
    ReportDetail detail = builder_.finish(report_.all_steps.size());
    add_choices(detail);
    return detail;
  }

 private:
  // A decision is seen where the machine does what was chosen.
  void add_choices(ReportDetail& detail) const {
    for (const RecordedChoice& choice : recording_.choices) {
      const std::size_t act = act_of_step(recording_, choice.step).value_or(recording_.acts.size);
      ReportChoice& shown = detail.choices.emplace_back();
      shown.step = act < report_.all_steps.size() ? act : report_.all_steps.size() - 1;
      shown.number = detail.choices.size() - 1;
      shown.chosen = choice.chosen;
      for (std::uint32_t i = 0; i < choice.count; ++i) {
        const TaskOperation& option = recording_.options[choice.first + i];
        const std::string words = choice.is_value
                                      ? fmt::format("chooses {} of {}", i + 1, choice.count)
                                      : words_of(option.operation);
        shown.options.push_back({option.task, words});
      }
    }
  }

  std::string words_of(const Operation& operation) const {
    if (operation.kind == OperationKind::dequeue) return "handles its next event";
    const std::string words = info(operation.kind).words;
    if (operation.kind != OperationKind::send) return words;
    const std::uint64_t receiver = objects::machine_of(operation.object);
    return words + " " + report_.name(task_id(static_cast<std::uint32_t>(receiver)));
  }

  void look_at(std::size_t row, const ReportStep& step) {
    const RecordedAct& act = recording_.acts[step.event - 1];
    if (step.sent_by != 0) builder_.link(LinkKind::message, row_of(step.sent_by), row);
    const auto begins = created_at_.find(step.lane);
    if (begins != created_at_.end()) {
      builder_.link(LinkKind::creates, begins->second, row);
      created_at_.erase(begins);
    }
    switch (act.kind) {
      case ActKind::create:
      case ActKind::restart:
        created_at_[step.receiver] = row;
        break;
      case ActKind::send:
      case ActKind::fire:
        return put(step.receiver, step.object);
      case ActKind::handle:
      case ActKind::receive:
        take(step.lane, step.object);
        break;
      case ActKind::crash:
        builder_.set({"state", index(step.receiver)}, report_.name(step.receiver), "crashed");
        queues_[step.receiver].clear();
        return show(step.receiver);
      case ActKind::fault:
        return builder_.set({"state", index(step.lane)}, report_.name(step.lane), step.what);
      case ActKind::log:
        return show_values(step);
      case ActKind::halt:
        return builder_.set({"state", index(step.lane)}, report_.name(step.lane), "halted");
      default:
        break;
    }
    if (!step.state.empty()) {
      builder_.set({"state", index(step.lane)}, report_.name(step.lane), step.state);
    }
  }

  // What machines have become with this step. Variables that are long say how they begin.
  void show_conditions(std::size_t row) {
    constexpr std::size_t longest = 300;
    for (; next_condition_ < recording_.conditions.size; ++next_condition_) {
      const RecordedCondition& condition = recording_.conditions[next_condition_];
      if (condition.acts > row + 1) return;
      const std::string& name = report_.name(task_id(condition.machine));
      const std::string variables = condition.variables;
      if (*condition.state != '\0') {
        builder_.set({"state", condition.machine}, name, condition.state);
      }
      builder_.set({"variable", first_machine + condition.machine}, name,
                   variables.size() > longest ? variables.substr(0, longest) + "..." : variables);
    }
  }

  // Its step is its number.
  std::optional<std::size_t> row_of(std::uint64_t number) const {
    if (number == 0 || number > report_.all_steps.size()) return std::nullopt;
    return static_cast<std::size_t>(number) - 1;
  }

  void put(TaskId receiver, const std::string& event) {
    queues_[receiver].push_back(event);
    show(receiver);
  }

  void take(TaskId lane, const std::string& event) {
    std::deque<std::string>& queue = queues_[lane];
    const auto found = std::find(queue.begin(), queue.end(), event);
    if (found == queue.end()) return;
    queue.erase(found);
    show(lane);
  }

  // What a node has reported under a name, or a machine has logged.
  void show_values(const ReportStep& step) {
    const std::string name = report_.name(step.lane) + " " + step.object;
    const auto number = logged_.try_emplace(name, logged_.size()).first->second;
    builder_.set({"variable", number}, name, step.value);
  }

  void show(TaskId lane) {
    std::string text;
    for (const std::string& each : queues_[lane]) text += (text.empty() ? "" : "  ") + each;
    builder_.set({"queue", index(lane)}, report_.name(lane), text);
  }

  // Behind the numbers of what was logged under a name.
  static constexpr std::uint64_t first_machine = std::uint64_t{1} << 32;

  const Recording& recording_;
  const Report& report_;
  DetailBuilder builder_;
  std::size_t next_condition_ = 0;
  std::map<TaskId, std::deque<std::string>> queues_;
  std::map<TaskId, std::size_t> created_at_;
  std::map<std::string, std::uint64_t> logged_;
};

}  // namespace

ReportDetail detail_of_story(const Recording& recording, const Report& report) {
  return Story(recording, report).build();
}

}  // namespace ricercar::inline report
