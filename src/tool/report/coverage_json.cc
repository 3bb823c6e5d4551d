#include "report/coverage_json.h"

#include <nlohmann/json.hpp>

#include "report/coverage_curve.h"
#include "report/coverage_figures.h"

namespace ricercar::inline report {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// One line for each, and never all of them in memory as JSON: there may be a million.
template <typename Each>
std::string list(const char* name, std::size_t size, Each each) {
  std::string text = std::string(",\n  \"") + name + "\": [";
  for (std::size_t i = 0; i < size; ++i) text += (i == 0 ? "\n    " : ",\n    ") + dumped(each(i));
  return text + (size == 0 ? "]" : "\n  ]");
}

Json head(const CoverageSets& sets, const CoverageFigures& figures) {
  Json json;
  json["schema"] = "ricercar.coverage/1";
  json["program"] = sets.program;
  json["context"] = sets.context;
  json["executions"] = sets.executions;
  json["statement_count"] = figures.statements;
  json["statements_without_line"] = figures.without_line;
  json["pairs_seen"] = figures.seen;
  json["pairs_possible"] = figures.possible;
  json["percent_covered"] = figures.percent();
  json["executions_since_new_pair"] = figures.quiet;
  json["recent_executions"] = figures.recent;
  json["recent_executions_with_new_pairs"] = figures.recent_adding;
  json["is_proof"] = false;
  json["executions_per_entry"] = executions_per_entry(sets);
  return json;
}

Json statement_json(const CoverageStatement& statement) {
  Json json;
  json["place"] = statement.place;
  json["calls"] = statement.calls;
  return json;
}

Json pair_json(const CoveragePair& pair) {
  Json json;
  json["later"] = pair.later;
  json["earlier"] = pair.earlier;
  json["later_is_local"] = pair.later_is_local;
  json["count"] = pair.count;
  json["first_execution"] = pair.first_execution;
  return json;
}

}  // namespace

std::string coverage_json(const CoverageSets& sets) {
  const CoverageFigures figures = figures_of(sets);
  std::string text = head(sets, figures).dump(2, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - 2);  // the end of the object comes later
  text += ",\n  \"added\": " + dumped(sets.added);
  text += list("statements", sets.statements.size(),
               [&](std::size_t i) { return statement_json(sets.statements[i]); });
  text += list("pairs", sets.pairs.size(), [&](std::size_t i) { return pair_json(sets.pairs[i]); });
  const std::vector<std::size_t> rarest = rarest_pairs(sets, sets.pairs.size());
  const std::vector<std::size_t> unseen = unseen_pairs(sets, sets.pairs.size());
  text += ",\n  \"rarest\": " + dumped(rarest);
  text += ",\n  \"unseen\": " + dumped(unseen);
  return text + "\n}\n";
}

}  // namespace ricercar::inline report
