// The one table of strategies: names, parameters, where they come from, and how they are made from
// a specification `name:parameter=value,...`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/options.h"
#include "strategy/delaying/explorers.h"
#include "strategy/hapset/learned_sets.h"
#include "strategy/priority_context.h"
#include "strategy/strategy.h"

namespace ricercar::inline strategy {

struct PriorityItem;  // see strategy/priority.h

// What a strategy may use besides its own parameters.
struct Resources {
  std::uint64_t memory = 0;  // bytes for what waits to be explored; 0: no limit
  std::string file;          // for what does not fit; it need not exist
  PriorityContext priorities = {};
  ExplorerContext explorers = {};
  LearnedSets learned = {};                             // only read while a strategy is made
  std::span<const std::uint16_t> first_execution = {};  // decisions to begin with; likewise
  // The program has code whose accesses nobody sees: that two steps commute is not sure.
  bool has_unseen_code = false;
};

// The values of one specification: every parameter of the strategy, given or by default.
class Parameters {
 public:
  std::uint64_t seed = 1;
  Resources resources;
  std::map<std::string, std::string, std::less<>> values;

  std::uint64_t number(std::string_view name) const;  // throws UsageError if it is none
  const std::string& text(std::string_view name) const;
  bool flag(std::string_view name) const;            // yes or no; throws UsageError
  std::uint64_t bytes(std::string_view name) const;  // with K, M or G; throws UsageError
};

struct ParameterInfo {
  std::string_view name;
  std::string_view default_value;
  std::string_view meaning;
  // The range of a number, both ends included; a maximum of 0 says that the parameter is a text.
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;

  bool is_number() const { return maximum != 0; }
};

struct StrategyInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // the paper or book it comes from
  std::span<const ParameterInfo> parameters;
  std::unique_ptr<Strategy> (*make)(const Parameters&);
  bool ends_by_itself = false;  // it needs no limit: it comes to an end, or stops when it is full
  bool learns_statements = false;  // with as many calls as its parameter `context` says
};

// The strategy that an empty specification stands for, and the one of a search of nodes.
inline constexpr std::string_view default_strategy = "portfolio";
inline constexpr std::string_view default_strategy_of_nodes = "mixed";

std::span<const StrategyInfo> strategies();

// The row of the table that a specification is about. Throws as make_strategy.
const StrategyInfo& strategy_info(std::string_view specification);

// Throws UsageError with the nearest name if the strategy or a parameter does not exist, and with
// the range if a value is outside of it.
std::unique_ptr<Strategy> make_strategy(std::string_view specification, std::uint64_t seed,
                                        const Resources& resources = {});

// How many calls belong to a statement, if the search learns which statement follows which: a
// strategy or a priority that does. Throws as make_strategy.
std::optional<std::uint32_t> calls_of_statements(std::string_view specification);
// Where its choice points are unless the user says otherwise.
Points default_points(std::string_view specification);

// The priorities of a specification that has any. Throws as make_strategy.
std::vector<PriorityItem> priorities_in(std::string_view specification);

}  // namespace ricercar::inline strategy
