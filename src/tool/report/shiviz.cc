// The format of ShiViz: an expression that reads an event, one that tells executions apart, then
// the events. A clock is a JSON object; the own values of each host are 1, 2, 3, and so on.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/path_tools.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

using Clock = std::map<TaskId, std::uint64_t>;

void join(Clock& clock, const Clock& other) {
  for (const auto& [lane, count] : other) {
    std::uint64_t& own = clock[lane];
    own = std::max(own, count);
  }
}

// A host is one word.
std::string host_of(const Report& report, TaskId lane) {
  std::string name = report.name(lane);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string clock_text(const Report& report, const Clock& clock) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [lane, count] : clock) json[host_of(report, lane)] = count;
  return json.dump();
}

}  // namespace

std::string shiviz_log(const Report& report, const std::string& name) {
  std::string text = fmt::format(
      "(?<host>\\S*) (?<clock>{{.*}})\\n(?<event>.*)\n"
      "=== (?<trace>.*) ===\n=== {} ===\n",
      name);
  std::map<TaskId, Clock> now;
  std::map<std::uint64_t, Clock> after;  // each event
  for (const ReportStep& step : report.steps) {
    if (step.gap.is_one() || step.lane == no_task) continue;
    Clock& clock = now[step.lane];
    if (const auto sent = after.find(step.sent_by); sent != after.end()) join(clock, sent->second);
    ++clock[step.lane];
    if (step.number != 0) after[step.number] = clock;
    text += fmt::format("{} {}\n{}\n", host_of(report, step.lane), clock_text(report, clock),
                        harmless(step.what));
  }
  return text;
}

}  // namespace ricercar::inline report
