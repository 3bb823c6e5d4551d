#include "support/strategies.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/process.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr std::size_t shares = 3;

void append(Words& to, const Words& from) { to.insert(to.end(), from.begin(), from.end()); }

// Those of the table with their default parameters, and the parameters that make another search.
Words every_strategy(const std::string& tool) {
  const Finished listed = run({.words = {tool, "strategies", "--json"}});
  const Json table = Json::parse(listed.output);
  Words names;
  for (const Json& strategy : table.at("strategies")) names.push_back(strategy.at("name"));
  if (names.empty()) throw std::runtime_error("the tool lists no strategies");
  append(names, {"pb:cache=yes", "pb:iterative=no", "bestfirst:space=persistent",
                 "bestfirst:space=pb=2", "bestfirst:space=all,priority=rand", "hapset:prune=yes",
                 "hapset:base=pb", "hapset:prune=no", "ses:explorer=rtc", "ses:explorer=prr",
                 "ss:explorer=rtc", "ss:explorer=prr"});
  return names;
}

// Which of the shares is the program's turn: always the same, and spread evenly over the programs.
std::size_t share_of(const std::string& program) {
  std::size_t sum = 0;
  for (const unsigned char letter : program) sum += letter;
  return sum % shares;
}

Words share_of_strategies(const std::string& tool, const std::string& program) {
  const Words all = every_strategy(tool);
  if (std::getenv("RICERCAR_EVERY_STRATEGY") != nullptr) return all;
  Words some;
  for (std::size_t i = share_of(program); i < all.size(); i += shares) some.push_back(all[i]);
  return some;
}

constexpr const char* summary_file = "every_strategy.json";

Command search(const std::string& tool, const CorrectProgram& program, const Words& options,
               const std::string& strategy) {
  Command command{.words = {tool, "run", "--quiet", "--json", summary_file, "--out", "out"},
                  .folder = program.folder};
  append(command.words, options);
  append(command.words, {"--strategy", strategy, "--"});
  append(command.words, program.command);
  return command;
}

constexpr const char* limit = "--executions";

// A program whose executions are long sets its own limit.
Words for_a_second(const Words& options) {
  Words words = {"--time", "1"};
  const bool has_limit = std::find(options.begin(), options.end(), limit) != options.end();
  if (!has_limit) append(words, {limit, "25"});
  append(words, options);
  return words;
}

Words for_one_execution(Words options) {
  const auto own = std::find(options.begin(), options.end(), limit);
  if (own != options.end()) options.erase(own, own + 2);
  append(options, {"--time", "60", limit, "1"});
  return options;
}

bool is_too_slow(const Finished& finished) {
  return finished.status == 2 && finished.error.find("no execution of") != std::string::npos;
}

void expect_no_report(const std::string& tool, const CorrectProgram& program,
                      const std::string& strategy) {
  Command command = search(tool, program, for_a_second(program.options), strategy);
  Finished finished = run(command);
  if (is_too_slow(finished)) {
    command = search(tool, program, for_one_execution(program.options), strategy);
    finished = run(command);
  }
  std::ifstream file(std::filesystem::path(program.folder) / summary_file);
  const Json summary = Json::parse(file, nullptr, false);
  // One that cannot search such a program at all says so.
  if (finished.status == 2 && finished.error.find("can handle") != std::string::npos) return;
  const bool is_clean = finished.status == 0 && summary.is_object() && summary["bugs"].empty() &&
                        summary["executions"] != 0;
  if (!is_clean) {
    throw std::runtime_error("a correct program was reported\n" + describe(command, finished));
  }
}

}  // namespace

void expect_no_report_from_its_strategies(const std::string& tool, const CorrectProgram& program) {
  for (const std::string& strategy : share_of_strategies(tool, program.name)) {
    expect_no_report(tool, program, strategy);
  }
}

}  // namespace ricercar::test
