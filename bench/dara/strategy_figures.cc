// What the strategies find, reach and cost on the thesis's four programs.
#include <cstdio>
#include <map>

#include "dara/chart.h"
#include "dara/dara.h"
#include "dara/measured_search.h"
#include "engine/measure.h"

namespace ricercar::bench {
namespace {

constexpr std::uint64_t paths = 50;
constexpr const char* picture = "dara-strategies.svg";

struct Program {
  std::string name;
  std::string bug;
  std::string thesis;  // what it says for random, unique and frequency
};

const Program programs[] = {
    {"uninitialised_map", "early", "found by all three"},
    {"loop_variable", "shared",
     "of 20 paths: random 16, the first of them the 1st; unique 13; frequency 12"},
    {"producer_consumer", "early",
     "random 15, the first of them the 5th; unique 29, the 2nd; frequency 20, the 1st"},
    {"philosophers", "close",
     "random 34, the first of them the 3rd; unique 42, the 1st; frequency 40, the 1st"},
};

const std::string strategies[] = {"random", "coverage:score=unique", "coverage:score=frequency",
                                  "coverage:score=node-frequency", "mixed"};

using Searches = std::map<std::string, MeasuredSearch>;  // by strategy

Searches search_all(const DaraSetup& setup, const Program& program) {
  Searches all;
  for (const std::string& strategy : strategies) {
    MeasuredRequest request;
    request.cluster = setup.clusters / program.name / (program.bug + ".toml");
    request.strategy = strategy;
    request.paths = paths;
    request.counts_states = true;
    all[strategy] = measure_search(request);
    std::printf("%s, %s: %zu paths\n", program.name.c_str(), strategy.c_str(),
                all[strategy].paths.size());
    std::fflush(stdout);
  }
  return all;
}

// A mark for each path: x where there is a bug.
std::string marks(const MeasuredSearch& search) {
  std::string text;
  for (const MeasuredPath& path : search.paths) text += path.bug.empty() ? '.' : 'x';
  return text;
}

std::string found_text(const std::vector<Searches>& all) {
  std::string text =
      "Figure 6.5: on which of the first 50 paths a bug is found, seed 1; `x` marks a path with a "
      "bug. The search goes on after a bug.\n\n```\n";
  for (std::size_t i = 0; i < std::size(programs); ++i) {
    text += programs[i].name + "\n";
    for (const std::string& strategy : strategies) {
      const std::string line = marks(all[i].at(strategy));
      std::size_t found = 0;
      for (const char mark : line) found += mark == 'x' ? 1 : 0;
      const std::size_t first = line.find('x');
      text += format("  %-30s %s  %2zu, first: %s\n", strategy.c_str(), line.c_str(), found,
                     first == std::string::npos ? "-" : std::to_string(first + 1).c_str());
    }
    text += "  the thesis: " + programs[i].thesis + "\n";
  }
  return text + "```\n\n";
}

std::size_t states_after(const MeasuredSearch& search, std::size_t count) {
  if (search.paths.empty()) return 0;
  return search.paths[std::min(count, search.paths.size()) - 1].states;
}

std::string states_text(const std::vector<Searches>& all) {
  std::string text =
      "Figure 6.6: distinct states over paths. A state is what it is in the thesis: which basic "
      "blocks the whole system has executed on its path so far, and how often each; it is looked "
      "at "
      "whenever a node hands back control. The thesis has only a plot, of the philosophers, with "
      "the coverage strategies above random.\n\n| program | strategy | 10 paths | 25 paths | 50 "
      "paths |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < std::size(programs); ++i) {
    for (const std::string& strategy : strategies) {
      const MeasuredSearch& search = all[i].at(strategy);
      text +=
          format("| %s | `%s` | %zu | %zu | %zu |\n", programs[i].name.c_str(), strategy.c_str(),
                 states_after(search, 10), states_after(search, 25), states_after(search, 50));
    }
  }
  return text + "\n";
}

std::string decisions_text(const Searches& philosophers) {
  std::string text =
      "Figure 6.16: how long a decision takes, 50 paths of the philosophers, in nanoseconds, with "
      "two looks at the clock. The thesis: under 10,000 with coverage, about half of that at "
      "random.\n\n| strategy | decisions | half are under | 90 % | 99 % |\n|---|---|---|---|---|\n";
  for (const std::string& strategy : strategies) {
    const MeasuredSearch& search = philosophers.at(strategy);
    text += format("| `%s` | %zu | %.0f | %.0f | %.0f |\n", strategy.c_str(),
                   search.decisions.size(), search.decision_at(0.5) * 1e9,
                   search.decision_at(0.9) * 1e9, search.decision_at(0.99) * 1e9);
  }
  return text;
}

Chart states_chart(const Program& program, const Searches& searches) {
  Chart chart{"distinct states: " + program.name, "paths", {}};
  for (const std::string& strategy : strategies) {
    ChartLine line{strategy, {{0, 0}}};
    for (const MeasuredPath& path : searches.at(strategy).paths) {
      line.points.emplace_back(static_cast<double>(line.points.size()),
                               static_cast<double>(path.states));
    }
    chart.lines.push_back(line);
  }
  return chart;
}

// Each strategy has a height of its own.
Chart found_chart(const Program& program, const Searches& searches) {
  Chart chart{"paths with a bug: " + program.name, "paths", {}};
  for (std::size_t i = 0; i < std::size(strategies); ++i) {
    ChartLine line{strategies[i], {}, true};
    const std::vector<MeasuredPath>& all = searches.at(strategies[i]).paths;
    for (std::size_t path = 0; path < all.size(); ++path) {
      if (all[path].bug.empty()) continue;
      line.points.emplace_back(static_cast<double>(path + 1),
                               static_cast<double>(std::size(strategies) + 1 - i));
    }
    chart.lines.push_back(line);
  }
  return chart;
}

Chart decisions_chart(const Searches& searches) {
  Chart chart{"share of decisions that take so long at most", "nanoseconds", {}, true};
  for (const std::string& strategy : strategies) {
    ChartLine line{strategy, {}};
    for (int percent = 1; percent <= 99; ++percent) {
      const double share = percent / 100.0;
      line.points.emplace_back(searches.at(strategy).decision_at(share) * 1e9, share);
    }
    chart.lines.push_back(line);
  }
  return chart;
}

}  // namespace

std::string strategy_figures(const DaraSetup& setup) {
  std::vector<Searches> all;
  std::vector<Chart> charts;
  for (const Program& program : programs) {
    all.push_back(search_all(setup, program));
    charts.push_back(found_chart(program, all.back()));
    charts.push_back(states_chart(program, all.back()));
  }
  charts.push_back(decisions_chart(all.back()));
  draw_charts(setup.docs / picture, charts);
  return found_text(all) + states_text(all) + decisions_text(all.back()) +
         "\n![paths with a bug, " + "distinct states and decisions](" + picture + ")\n";
}

}  // namespace ricercar::bench
