// `ricercar strategies`: what there is, from the one table that registers it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/help.h"
#include "strategy/delaying/explorers.h"
#include "strategy/priority.h"
#include "strategy/registry.h"

namespace ricercar::inline cli {
namespace {

using Json = nlohmann::ordered_json;

std::string with_arguments(const PriorityInfo& priority) {
  if (priority.arguments.empty()) return std::string(priority.name);
  return fmt::format("{}={}", priority.name, priority.arguments);
}

void print_priorities() {
  fmt::print("Priorities of bestfirst, joined by + in the order in which they decide:\n");
  for (const PriorityInfo& priority : priorities()) {
    fmt::print("    {:<30} {}\n", with_arguments(priority), priority.summary);
  }
  fmt::print("    {:<30} {}\n\n", "a name of the program's own", "see <ricercar/priority.h>");
}

void print_explorers() {
  fmt::print("Explorers of ses and ss:\n");
  for (const ExplorerInfo& explorer : explorers()) {
    fmt::print("    {:<30} {}\n", explorer.name, explorer.summary);
  }
  fmt::print("    {:<30} {}\n\n", "a name of the program's own", "see <ricercar/explorer.h>");
}

void print_table() {
  for (const StrategyInfo& strategy : strategies()) {
    const char* mark = strategy.name == default_strategy ? "  (the default)" : "";
    fmt::print("{}{}\n    {}\n", strategy.name, mark, strategy.summary);
    for (const ParameterInfo& parameter : strategy.parameters) {
      fmt::print("    {:<20} {}\n", fmt::format("{}={}", parameter.name, parameter.default_value),
                 parameter.meaning);
    }
    fmt::print("    from: {}\n\n", strategy.source);
  }
  print_priorities();
  print_explorers();
  fmt::print("Choose one with `ricercar run --strategy name:parameter=value,... ./program`.\n");
}

void print_json() {
  Json json;
  json["schema"] = "ricercar.strategies/1";
  json["default"] = default_strategy;
  json["strategies"] = Json::array();
  for (const StrategyInfo& strategy : strategies()) {
    Json parameters = Json::array();
    for (const ParameterInfo& parameter : strategy.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"default", parameter.default_value},
                            {"meaning", parameter.meaning}});
    }
    json["strategies"].push_back({{"name", strategy.name},
                                  {"summary", strategy.summary},
                                  {"source", strategy.source},
                                  {"parameters", parameters}});
  }
  json["priorities"] = Json::array();
  for (const PriorityInfo& priority : priorities()) {
    json["priorities"].push_back({{"name", priority.name},
                                  {"arguments", priority.arguments},
                                  {"summary", priority.summary}});
  }
  json["explorers"] = Json::array();
  for (const ExplorerInfo& explorer : explorers()) {
    json["explorers"].push_back({{"name", explorer.name}, {"summary", explorer.summary}});
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

void add_strategies(CLI::App& app, Invocation& invocation) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("strategies", "List the ways to search");
  command->add_flag("--json", *as_json, "As JSON");
  set_help(*command, "ricercar strategies [--json]",
           R"(Examples:
  ricercar strategies
  ricercar run --strategy pct:depth=3 ./program
  ricercar run --strategy bestfirst:priority=method=push+pop+pb ./program
)");
  command->callback([as_json, &invocation] {
    *as_json ? print_json() : print_table();
    invocation.status = exit_ok;
  });
}

}  // namespace ricercar::inline cli
