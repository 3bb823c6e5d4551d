#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/reporters.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;

// So that the page stays small; the last ones are those that matter.
constexpr std::size_t most_rows = 20000;
// Of all executions; what would be more is left out.
constexpr std::size_t most_rows_together = 25000;

// Bits of a row.
enum RowFlag : unsigned {
  row_switches = 1,
  row_preempts = 2,
  row_ends = 4,
  row_fails = 8,
  row_waits = 16,  // and does nothing before it is woken
};

// Most texts come again and again: each is written once, and called by its number.
class Texts {
 public:
  int operator()(const std::string& text) {
    if (text.empty()) return -1;
    const auto [found, is_new] = numbers_.try_emplace(text, static_cast<int>(all_.size()));
    if (is_new) all_.push_back(text);
    return found->second;
  }
  const Json& all() const { return all_; }

 private:
  std::unordered_map<std::string, int> numbers_;
  Json all_ = Json::array();
};

int number_of(TaskId lane) { return lane == no_task ? -1 : static_cast<int>(index(lane)); }

bool is_wait(const std::string& operation) {
  return operation == "wait" || operation == "timed_wait" || operation == "futex_wait" ||
         operation == "futex_timed_wait";
}

Json json_of_place(const Place& place) {
  Json json;
  json["file"] = place.frame.file;
  json["name"] = place.file_and_line();
  json["line"] = place.frame.line;
  json["function"] = place.frame.function;
  json["text"] = place.text;
  return json;
}

// One execution.
class RunWriter {
 public:
  // `parts`: the step at which another execution parts from this one, if it is one of its steps.
  RunWriter(const Report& report, const char* role, std::size_t parts)
      : report_(report),
        role_(role),
        parts_(parts),
        steps_(report.detail ? report.all_steps : report.steps),
        first_(steps_.size() > most_rows ? steps_.size() - most_rows : 0) {}

  Json write() {
    Json json;
    json["role"] = role_;
    json["parts"] = has_parting() ? row(parts_) : -1;
    json["headline"] = report_.headline;
    json["outcome"] = info(report_.outcome).name;
    json["steps"] = report_.step_count;
    json["preemptions"] = report_.preemptions;
    json["truncated"] = report_.is_truncated;
    json["omitted"] = first_;
    json["lanes"] = lanes();
    json["rows"] = rows();
    json["short"] = short_rows();
    if (report_.detail) add_detail(json, *report_.detail);
    json["places"] = places_;
    json["texts"] = texts_.all();
    return json;
  }

 private:
  bool has_parting() const { return report_.detail && parts_ >= first_ && parts_ < steps_.size(); }

  Json lanes() const {
    Json json = Json::array();
    for (const Lane& lane : report_.lanes) {
      Json one;
      one["id"] = index(lane.id);
      one["name"] = lane.name;
      one["title"] = lane.title;
      one["timer"] = lane.is_timer;
      one["created"] = lane.created.is_known() ? lane.created.file_and_line() : "";
      one["end"] = lane.ending.empty() ? lane.phase : lane.ending;
      json.push_back(one);
    }
    return json;
  }

  // [lane, flags, number, what, object, value, place, operation]
  Json rows() {
    Json json = Json::array();
    TaskId last = no_task;
    for (std::size_t i = first_; i < steps_.size(); ++i) {
      const ReportStep& step = steps_[i];
      const bool switches = last != no_task && step.lane != no_task && step.lane != last;
      if (step.lane != no_task) last = step.lane;
      json.push_back({number_of(step.lane), flags_of(step, switches), step.number,
                      texts_(words_of(step)), texts_(step.object), texts_(step.value),
                      place_number(step.place), texts_(step.operation)});
      rows_of_.try_emplace(key_of(step), i - first_);
    }
    return json;
  }

  static std::string words_of(const ReportStep& step) {
    const ReportStep::Gap& gap = step.gap;
    if (!gap.is_one()) return step.what;
    if (gap.left_out != 0) return grouped(gap.left_out) + " not shown";
    const std::string times = gap.for_ever ? "forever" : counted(gap.repetitions, "time") + " more";
    return fmt::format("the last {}, {}", counted(gap.period, "step"), times);
  }

  static unsigned flags_of(const ReportStep& step, bool switches) {
    return (switches ? row_switches : 0U) | (step.preempts ? row_preempts : 0U) |
           (step.ends ? row_ends : 0U) | (step.is_outcome ? row_fails : 0U) |
           (is_wait(step.operation) ? row_waits : 0U);
  }

  int place_number(const Place& place) {
    if (place.frame.file.empty() && place.frame.function.empty()) return -1;
    const std::string key =
        fmt::format("{}\n{}\n{}", place.frame.file, place.frame.line, place.frame.function);
    const auto [found, is_new] = place_numbers_.try_emplace(key, static_cast<int>(places_.size()));
    if (is_new) {
      places_.push_back({texts_(place.frame.file), place.frame.line, texts_(place.frame.function),
                         texts_(place.text),
                         texts_(place.is_known() ? place.file_and_line() : "")});
    }
    return found->second;
  }

  // A round that comes again and again, and that nobody has counted.
  static bool is_endless(const ReportStep& step) {
    return step.gap.period != 0 && step.gap.repetitions == 0;
  }

  // [row, words that it has there, if they are others, or -1, all rows that it stands for]; a gap:
  // [-1, words].
  Json short_rows() {
    Json json = Json::array();
    for (const ReportStep& step : report_.steps) {
      if (is_endless(step) && is_endless(steps_.back())) {
        const std::size_t last = steps_.size() - first_ - 1;
        json.push_back({last, -1, {last}});
        continue;
      }
      if (step.gap.is_one()) {
        json.push_back({-1, texts_(words_of(step))});
        continue;
      }
      // What ends the execution stands apart in the page, even if it is in the line of the last
      // row.
      const bool is_joined = step.is_outcome && !step.parts.empty();
      if (is_joined) {
        add_short(json, without_outcome(step));
        add_short(json, step.parts.back());
      } else {
        add_short(json, step);
      }
    }
    return json;
  }

  static ReportStep without_outcome(ReportStep step) {
    const std::string end = ", " + step.parts.back().what;
    if (step.what.ends_with(end)) step.what.resize(step.what.size() - end.size());
    step.parts.pop_back();
    step.is_outcome = false;
    return step;
  }

  void add_short(Json& json, const ReportStep& step) {
    std::vector<std::size_t> rows;
    for (const ReportStep& part : step.parts) add_row_of(part, rows);
    if (step.parts.empty()) add_row_of(step, rows);
    if (rows.empty()) return;
    // What is told in words of its own has its place apart in the page.
    const bool is_same =
        !report_.is_told_by_address() || steps_[rows.front() + first_].what == step.what;
    json.push_back({rows.front(), is_same ? -1 : texts_(step.what), rows});
  }

  void add_row_of(const ReportStep& step, std::vector<std::size_t>& rows) {
    const auto found = rows_of_.find(key_of(step));
    if (found != rows_of_.end()) rows.push_back(found->second);
  }

  // What tells a step of the short report among all: its event; if it is none, who does what.
  static std::string key_of(const ReportStep& step) {
    if (step.event != 0) return std::to_string(step.event);
    return fmt::format("{} {}", number_of(step.lane), step.what);
  }

  std::int64_t row(std::size_t step) const {
    return static_cast<std::int64_t>(step) - static_cast<std::int64_t>(first_);
  }

  void add_detail(Json& json, const ReportDetail& detail) {
    json["links"] = Json::array();
    for (const ReportLink& link : detail.links) {
      if (link.to >= first_) {
        json["links"].push_back({static_cast<int>(link.kind), row(link.from), row(link.to)});
      }
    }
    json["holdings"] = Json::array();
    for (const ReportHolding& each : detail.holdings) {
      if (each.to < first_) continue;
      json["holdings"].push_back({number_of(each.lane), texts_(each.object), each.is_shared ? 1 : 0,
                                  row(each.from), row(each.to)});
    }
    json["entries"] = Json::array();
    for (const ReportEntry& entry : detail.entries)
      json["entries"].push_back({entry.kind, texts_(entry.name)});
    json["changes"] = Json::array();
    for (const ReportChange& change : detail.changes) {
      json["changes"].push_back({row(change.step), change.entry, texts_(change.value)});
    }
    json["choices"] = Json::array();
    for (const ReportChoice& choice : detail.choices) json["choices"].push_back(json_of(choice));
  }

  Json json_of(const ReportChoice& choice) {
    Json options = Json::array();
    for (const ReportChoice::Option& option : choice.options) {
      options.push_back({number_of(option.lane), texts_(option.what)});
    }
    return {row(choice.step), choice.number, choice.chosen, options};
  }

  const Report& report_;
  const char* role_;
  std::size_t parts_;
  const std::vector<ReportStep>& steps_;
  std::size_t first_;
  Texts texts_;
  Json places_ = Json::array();
  std::unordered_map<std::string, int> place_numbers_;
  std::unordered_map<std::string, std::size_t> rows_of_;
};

// The execution that the report is about comes first.
Json runs_json(const Report& report) {
  Json runs = Json::array();
  std::size_t room = most_rows_together - std::min(most_rows, report.all_steps.size());
  const auto has_room = [&room](const std::shared_ptr<const Report>& other) {
    if (other == nullptr || !other->detail || other->all_steps.size() > room) return false;
    room -= other->all_steps.size();
    return true;
  };
  const bool has_passing = has_room(report.passing);
  const Parting parting =
      has_passing ? parting_of(report, *report.passing) : Parting{last_chance_in(report), 0};
  runs.push_back(RunWriter(report, "failing", parting.failing).write());
  if (has_passing) {
    runs.push_back(RunWriter(*report.passing, "passing", parting.passing).write());
  }
  if (has_room(report.original)) {
    const std::size_t nowhere = report.original->all_steps.size();
    runs.push_back(RunWriter(*report.original, "original", nowhere).write());
  }
  return runs;
}

Json why_json(const Report& report) {
  Json places = Json::array();
  for (const WhyPlace& place : report.why.places) {
    places.push_back({{"role", place.role},
                      {"lane", number_of(place.lane)},
                      {"number", place.number},
                      {"what", place.what},
                      {"place", json_of_place(place.place)}});
  }
  return {{"sentences", report.reasons()}, {"places", places}};
}

Json sources_json(const Report& report) {
  Json json = Json::array();
  for (const ReportSource& source : report.sources) {
    Json parts = Json::array();
    for (const ReportSource::Part& part : source.parts) parts.push_back({part.first, part.lines});
    json.push_back({{"file", source.file}, {"newer", source.is_newer}, {"parts", parts}});
  }
  return json;
}

Json calls_json(const CallStack& stack) {
  Json json = Json::array();
  for (const Place& call : stack.calls) {
    if (call.frame.is_users) json.push_back(json_of_place(call));
  }
  return json;
}

Json taken_json(const std::vector<ReportHold>& holds) {
  Json json = Json::array();
  for (const ReportHold& hold : holds) {
    json.push_back({{"object", hold.object}, {"place", json_of_place(hold.place)}});
  }
  return json;
}

Json where_json(const Report& report) {
  Json json = Json::array();
  for (const ReportWait& wait : report.waits) {
    json.push_back({{"lane", number_of(wait.lane)},
                    {"what", wait.what},
                    {"place", json_of_place(wait.place)},
                    {"holds", taken_json(wait.holds)},
                    {"stack", Json::array()}});
  }
  for (const BugPlace& place : report.places) {
    const bool is_told = place.role == "waits" && !report.waits.empty();
    if (is_told) continue;
    json.push_back({{"lane", number_of(place.lane)},
                    {"what", place.what.empty() ? place.role : place.what},
                    {"place", json_of_place(place.place)},
                    {"holds", taken_json(place.holds)},
                    {"knows_holds", place.knows_holds},
                    {"stack", calls_json(place.stack)}});
  }
  return json;
}

std::string command_line_of(const Report& report) {
  std::string command = report.program.substr(report.program.rfind('/') + 1);
  for (const std::string& argument : report.arguments) command += " " + argument;
  return command;
}

Json links_json() {
  Json json = Json::array();
  for (const LinkKindInfo& kind : link_kinds) {
    json.push_back({{"name", kind.name},
                    {"orders", kind.orders},
                    {"label", kind.label},
                    {"words", kind.words}});
  }
  return json;
}

// Nothing in it can end the element that it is in, nor begin a comment or a character reference.
std::string as_script_data(const Json& data) {
  const std::string text =
      data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

void put(std::string& page, std::string_view mark, const std::string& text) {
  const std::size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

Json page_json(const Report& report) {
  Json json;
  json["schema"] = "ricercar.page/1";
  json["kind"] = report.kind;
  json["headline"] = report.headline;
  json["warning"] = report.warning;
  json["world"] = info(report.world).name;
  json["task"] = info(report.world).task;
  json["unit"] = report.is_told_by_address() ? "step" : "event";
  json["command"] = command_line_of(report);
  json["origin"] = fmt::format("execution {} of strategy {} with seed {}",
                               grouped(report.execution), report.strategy, report.seed);
  json["replay"] = report.schedule.empty()
                       ? ""
                       : shell_word(report.tool) + " replay " + shell_word(report.schedule);
  json["output"] = report.output;
  json["output_cut"] = report.is_output_cut;
  json["avoidable"] = report.last_chance && report.last_chance->passes;
  json["in_every_round"] = report.last_chance && report.last_chance->is_in_round;
  json["debug"] = report.has_debug_information;
  json["link_kinds"] = links_json();
  json["why"] = why_json(report);
  json["places"] = where_json(report);
  json["sources"] = sources_json(report);
  json["runs"] = runs_json(report);
  return json;
}

std::string page_with(const Json& data, const std::string& connects_to) {
  std::string page(viewer_page);
  put(page, viewer_connect_mark, connects_to);
  put(page, viewer_data_mark, as_script_data(data));  // last: nothing is looked for in it
  return page;
}

std::string html_report(const Report& report, const ReporterOptions&) {
  return page_with(page_json(report), "'none'");
}

}  // namespace ricercar::inline report
