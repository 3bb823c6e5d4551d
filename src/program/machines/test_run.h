// Runs systems of machines in unit tests: every execution of one, or a chosen one.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "machines/world.h"

namespace ricercar::machines {

struct Runs {
  std::uint64_t executions = 0;
  std::uint64_t cut_at_step_limit = 0;
  // How executions ended: "kind: message", or what the machines were at the end.
  std::set<std::string> endings;
  std::string coverage;
};

// Until the strategy has nothing left. Throws UsageError, as the search does.
Runs run_all(const SetUp& set_up, const std::string& strategy = "dfs");

struct OneRun {
  Outcome outcome;
  std::vector<std::string> story;       // "Server#0 handles Ping in Serving"
  std::vector<std::string> conditions;  // "2 Server#0 Serving {1}": after two lines of the story
  std::string ending;
  std::uint64_t cycle = 0;
  bool reached_step_limit = false;
};

// The index of the machine to run next, of those that can; a value choice takes 0.
using Scheduler = std::function<std::uint32_t(const TaskSet& enabled)>;

// One execution. Without a scheduler the machine with the least number goes first.
OneRun run_once(const SetUp& set_up, const Scheduler& scheduler = {},
                std::uint64_t max_steps = 10000);

}  // namespace ricercar::machines
