#include "report/json.h"

#include <nlohmann/json.hpp>

#include "report/reporters.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;

template <typename List, typename Function>
Json list_of(const List& list, Function json_of_one) {
  Json json = Json::array();
  for (const auto& each : list) json.push_back(json_of_one(each));
  return json;
}

// What is empty is left out.
void add_text(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}

void add_lane(Json& json, const char* name, TaskId lane) {
  if (lane != no_task) json[name] = index(lane);
}

void add_frame(Json& json, const Frame& frame) {
  add_text(json, "function", frame.function);
  add_text(json, "file", frame.file);
  if (!frame.file.empty()) json["line"] = frame.line;
}

Json stack_json(const CallStack& stack) {
  return list_of(stack.calls, [](const Place& call) {
    Json json = Json::object();
    add_frame(json, call.frame);
    add_text(json, "module", call.frame.module);
    json["library"] = !call.frame.is_users;
    return json;
  });
}

void add_stack(Json& json, const char* name, const CallStack& stack) {
  if (stack.calls.empty()) return;
  json[name] = stack_json(stack);
  if (stack.is_cut) json[name].push_back({{"left_out", true}});
}

Json hold_json(const ReportHold& hold) {
  Json json;
  json["object"] = hold.object;
  add_frame(json, hold.place.frame);
  return json;
}

// Threads and machines are called what they are.
class Writer {
 public:
  explicit Writer(const Report& report)
      : report_(report), lane_(info(report.world).task), lanes_(lane_ + "s") {}

  Json write() const {
    Json json = head();
    json[lanes_] = list_of(report_.lanes, [&](const Lane& lane) { return lane_json(lane); });
    json["step_count"] = report_.step_count;
    if (report_.is_told_by_address()) json["preemptions"] = report_.preemptions;
    json["truncated"] = report_.is_truncated;
    json["steps"] = list_of(report_.steps, [&](const auto& step) { return step_json(step); });
    json["places"] = list_of(report_.places, [&](const auto& place) { return place_json(place); });
    if (report_.why.is_known()) json["why"] = why_json();
    if (report_.last_chance) json["last_chance"] = last_chance_json(*report_.last_chance);
    add_stack(json, "stack", report_.stack);
    if (!report_.waits.empty()) {
      json["waits"] = list_of(report_.waits, [&](const auto& wait) { return wait_json(wait); });
    }
    if (report_.knows_block) json["allocated"] = allocation_json();
    if (!report_.blocks.empty()) {
      json["blocks"] =
          list_of(report_.blocks, [&](const auto& block) { return block_json(block); });
    }
    if (!report_.unseen.empty()) json["not_instrumented"] = report_.unseen;
    if (report_.past_race) json["past_race"] = past_race_json(*report_.past_race);
    return json;
  }

 private:
  Json head() const {
    Json json;
    json["schema"] = "ricercar.bug/1";
    json["kind"] = report_.kind;
    json["message"] = report_.headline;
    add_text(json, "warning", report_.warning);
    json["program"] = report_.program;
    json["arguments"] = report_.arguments;
    json["strategy"] = report_.strategy;
    json["seed"] = report_.seed;
    json["execution"] = report_.execution;
    json["schedule"] = report_.schedule;
    if (report_.minimised) json["minimised"] = minimised_json(*report_.minimised);
    if (report_.followed_steps != 0) json["followed_steps"] = report_.followed_steps;
    if (!report_.not_minimised.empty()) json["not_minimised"] = report_.not_minimised;
    json["came_again"] = report_.is_same_bug;
    json["world"] = info(report_.world).name;
    add_lane(json, lane_.c_str(), report_.lane);
    return json;
  }

  static Json size_json(const ExecutionSize& size) {
    Json json;
    visit_fields<ExecutionSize>(
        size, [&](const auto& field, const auto& value) { json[field.name] = value; });
    return json;
  }

  static Json minimised_json(const ShorterExecution& shorter) {
    Json json;
    json["before"] = size_json(shorter.before);
    json["after"] = size_json(shorter.after);
    json["executions"] = shorter.executions;
    if (!shorter.original.empty()) json["original"] = shorter.original;
    return json;
  }

  static Json past_race_json(const PastRace& past) {
    Json json;
    json["executions"] = past.executions;
    json["complete"] = past.is_complete;
    if (past.kind.empty()) return json;
    json["kind"] = past.kind;
    json["message"] = past.headline;
    json["execution"] = past.execution;
    json["schedule"] = past.schedule;
    return json;
  }

  Json lane_json(const Lane& lane) const {
    Json json;
    json["id"] = index(lane.id);
    json["name"] = lane.name;
    if (lane.is_timer) json["kind"] = "timer";
    add_text(json, "title", lane.title);
    add_lane(json, "created_by", lane.creator);
    add_frame(json, lane.created.frame);
    add_text(json, "phase", lane.phase);
    add_text(json, "state", lane.state);
    add_text(json, "variables", lane.variables);
    add_text(json, "queue", lane.queue);
    return json;
  }

  Json step_json(const ReportStep& step) const {
    if (step.gap.is_one()) return gap_json(step.gap);
    Json json = Json::object();
    if (step.number != 0) json["step"] = step.number;
    add_lane(json, lane_.c_str(), step.lane);
    add_text(json, "operation", step.operation);
    add_text(json, "object", step.object);
    add_text(json, "value", step.value);
    add_text(json, "state", step.state);
    add_lane(json, "to", step.receiver);
    if (step.sent_by != 0) json["sent_at"] = step.sent_by;
    for (const ReportStep::Condition& each : step.becomes) {
      Json& machine = json["becomes"].emplace_back();
      add_lane(machine, lane_.c_str(), each.lane);
      add_text(machine, "state", each.state);
      add_text(machine, "variables", each.variables);
    }
    add_text(json, "what", step.what);
    add_frame(json, step.place.frame);
    add_text(json, "source", step.place.text);
    if (step.first_created != no_task) {
      json["creates"] = index(step.first_created);
      json["creates_last"] = index(step.last_created);
    }
    if (step.preempts) json["preempts"] = true;
    if (step.is_outcome) json["fails"] = true;
    if (step.until != 0) json["until"] = step.until;
    if (!step.parts.empty()) {
      json["parts"] = list_of(step.parts, [&](const auto& part) { return step_json(part); });
    }
    return json;
  }

  Json why_json() const {
    Json json;
    json["pattern"] = report_.why.pattern;
    json["sentences"] = report_.why.sentences;
    json["places"] = list_of(report_.why.places, [&](const WhyPlace& place) {
      Json one;
      one["role"] = place.role;
      add_lane(one, lane_.c_str(), place.lane);
      if (place.number != 0) one["step"] = place.number;
      add_text(one, "what", place.what);
      add_frame(one, place.place.frame);
      add_text(one, "source", place.place.text);
      return one;
    });
    return json;
  }

  Json last_chance_json(const ReportChance& chance) const {
    Json json;
    json["passes"] = chance.passes;
    if (chance.passes) {
      if (chance.number != 0) json["step"] = chance.number;
      add_lane(json, lane_.c_str(), chance.lane);
      add_text(json, "what", chance.taken);
      add_text(json, "instead", chance.instead);
      add_text(json, "schedule", chance.passing);
      json["differences"] = chance.differences;
    }
    json["executions"] = chance.executions;
    json["later"] = chance.later;
    json["complete"] = chance.is_complete;
    json["sentences"] = chance.sentences;
    return json;
  }

  static Json gap_json(const ReportStep::Gap& gap) {
    if (gap.left_out != 0) return {{"left_out", gap.left_out}};
    Json json;
    json["repeats"] = gap.period;
    json["times"] = gap.repetitions;
    if (gap.for_ever) json["for_ever"] = true;
    return json;
  }

  Json place_json(const BugPlace& place) const {
    Json json;
    json["role"] = place.role;
    add_lane(json, lane_.c_str(), place.lane);
    add_text(json, "what", place.what);
    add_frame(json, place.place.frame);
    add_text(json, "source", place.place.text);
    add_text(json, "inside", place.place.inside);
    if (place.knows_holds) json["holds"] = list_of(place.holds, hold_json);
    add_stack(json, "stack", place.stack);
    return json;
  }

  Json wait_json(const ReportWait& wait) const {
    Json json;
    json[lane_] = index(wait.lane);
    json["operation"] = wait.operation;
    add_text(json, "object", wait.object);
    json["what"] = wait.what;
    add_frame(json, wait.place.frame);
    json["for"] = list_of(wait.awaited, [](TaskId lane) { return index(lane); });
    json["holds"] = list_of(wait.holds, hold_json);
    return json;
  }

  Json allocation_json() const {
    Json json = Json::object();
    add_lane(json, lane_.c_str(), report_.allocated_by);
    add_stack(json, "stack", report_.allocated);
    return json;
  }

  Json block_json(const ReportBlock& block) const {
    Json json;
    json["name"] = block.name;
    json["size"] = block.size;
    add_lane(json, lane_.c_str(), block.lane);
    add_frame(json, block.place.frame);
    return json;
  }

  const Report& report_;
  std::string lane_;
  std::string lanes_;
};

}  // namespace

Json json_of(const Report& report) { return Writer(report).write(); }

std::string json_report(const Report& report, const ReporterOptions&) {
  return json_text(json_of(report));
}

}  // namespace ricercar::inline report
