#include "cli/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "cli/program.h"
#include "cli/suppressions.h"
#include "nodes/cluster_file.h"
#include "report/executable.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string in_quotes(const std::string& text) { return fmt::format("'{}'", text); }

template <typename Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_same_v<Value, Points>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value ? "yes" : "no";
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return fmt::format("{}", value);
  } else {
    return std::string(std::string_view(value));
  }
}

void add_options(Identity& identity, const Request& request) {
  const auto add = [&](const auto& field, const auto& value) {
    identity.emplace_back(fmt::format("option {}", field.name), text_of(value));
  };
  visit_fields<ScheduleOptions>(request, add);
  identity.emplace_back("option keep_going", text_of(request.keep_going));
  identity.emplace_back("option force_fork", text_of(request.force_fork));
  identity.emplace_back("option memory", text_of(request.memory));
  identity.emplace_back("kinds of bugs that are ignored",
                        fmt::format("{:#x}", request.ignored_kinds));
}

void add_libraries(Identity& identity, const std::string& program) {
  for (const std::string& library : libraries_of(program)) {
    const std::string name = "library " + fs::path(library).filename().string();
    const std::pair<std::string, std::string> entry{name, build_id_of(library)};
    if (std::find(identity.begin(), identity.end(), entry) == identity.end()) {
      identity.push_back(entry);
    }
  }
}

Json json_of(const Identity& identity) {
  Json json = Json::object();
  for (const auto& [name, value] : identity) json[name] = value;
  return json;
}

}  // namespace

Identity identity_of(const Program& program, const Request& request,
                     const Suppressions& suppressions) {
  Identity identity = {{"version of Ricercar", RICERCAR_VERSION}};
  const std::string own = fs::canonical("/proc/self/exe");
  if (program.is_cluster()) identity.emplace_back("build of Ricercar", build_id_of(own));
  identity.emplace_back("program", fs::path(program.path).filename());
  identity.emplace_back("build of the program", build_of(program));
  std::string arguments;
  for (const std::string& argument : program.arguments) {
    const bool is_word = !argument.empty() && argument.find(' ') == std::string::npos;
    arguments += (arguments.empty() ? "" : " ") + (is_word ? argument : in_quotes(argument));
  }
  identity.emplace_back("list of arguments", arguments);
  add_options(identity, request);
  std::string known;
  for (const Suppression& each : suppressions.all()) known += each.text + "; ";
  identity.emplace_back("list of suppressions", known);
  if (!program.is_cluster()) add_libraries(identity, program.path);
  for (const std::string& node : program.nodes) add_libraries(identity, node);
  if (program.properties) {
    identity.emplace_back("file of properties", build_id_of(read_cluster(program.path).properties));
  }
  return identity;
}

std::string to_json(const Identity& identity) { return json_of(identity).dump(); }

std::string first_difference(const std::string& json, const Identity& identity) {
  const Json there = Json::parse(json);
  const Json here = json_of(identity);
  for (const auto& [name, value] : here.items()) {
    const std::string before = there.value(name, "");
    if (before == value) continue;
    const std::string now = value;
    return fmt::format("its {} is {}, and not {}", name,
                       before.empty() ? "not known" : in_quotes(before),
                       now.empty() ? "none" : in_quotes(now));
  }
  for (const auto& [name, value] : there.items()) {
    if (!here.contains(name)) return fmt::format("it has the {}, which is gone", name);
  }
  return {};
}

}  // namespace ricercar::inline cli
