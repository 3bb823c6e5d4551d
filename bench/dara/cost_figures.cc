// What properties, intercepted calls, events and blocks cost.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "cli/property_library.h"
#include "dara/chart.h"
#include "dara/dara.h"
#include "dara/measured_search.h"
#include "engine/measure.h"
#include "nodes/properties.h"
#include "support/process.h"

namespace ricercar::bench {
namespace {

namespace fs = std::filesystem;
constexpr const char* picture = "dara-costs.svg";

// --- Figure 6.8 ---

struct PropertyCost {
  int count = 0;
  double build = 0, load = 0, check = 0;  // seconds; a check is of all properties
};

void write_properties(const fs::path& path, int count) {
  std::ofstream file(path);
  file << "#include <ricercar/properties.h>\nusing ricercar::State;\n";
  for (int i = 0; i < count; ++i) {
    file << format(
        "const auto p%d = ricercar::always(\"property %d of %d\", [](const State& s) {\n"
        "  return s.integer(\"program\", \"a%d\") <= s.integer(\"program\", \"b%d\");\n});\n",
        i, i, count, i, i);
  }
}

void change_values(NamedValues& values, int count, std::int64_t number) {
  ricercar_value value = {RICERCAR_INTEGER, 0, {}};
  value.as.integer = number;
  for (int i = 0; i < count; ++i) {
    values.set(0, "a" + std::to_string(i), value);
    values.set(0, "b" + std::to_string(i), value);
  }
}

double time_checks(Properties& properties, Cluster& cluster, int count) {
  constexpr int checks = 100'000;
  NamedValues values;
  const Operations operations;
  ClusterView view(cluster, values, operations, [](std::uint32_t) { return true; });
  properties.begin_execution();
  double seconds = 0;
  for (int i = 0; i < checks; ++i) {
    change_values(values, count, i);
    const double start = seconds_now();
    if (properties.check(view)) throw std::runtime_error("a property does not hold");
    seconds += seconds_now() - start;
  }
  return seconds / checks;
}

PropertyCost cost_of_properties(const DaraSetup& setup, Cluster& cluster, int count) {
  const fs::path source = setup.work / format("properties%d.cc", count);
  write_properties(source, count);
  PropertyCost cost{count};
  double start = seconds_now();
  const PropertyLibrary library(source);
  cost.build = seconds_now() - start;
  start = seconds_now();
  Properties properties(library.path());
  cost.load = seconds_now() - start;
  cost.check = time_checks(properties, cluster, count);
  return cost;
}

std::string property_text(const DaraSetup& setup, std::vector<Chart>& charts) {
  const fs::path cache = setup.work / "cache";  // so that nothing is there yet
  fs::remove_all(cache);
  ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  const ClusterPlan plan = read_cluster(setup.clusters / "loop_variable/none.toml");
  Cluster cluster(plan, {}, {});
  std::string text =
      "Figure 6.8: properties, each over two values that change before every check. The thesis, "
      "for "
      "ten: under 1 s to build, under 6 ms to load, about 80 µs to check.\n\n| properties | build "
      "| "
      "load | check of all of them |\n|---|---|---|---|\n";
  ChartLine line{"nanoseconds for a check of all", {}};
  for (const int count : {1, 2, 5, 10}) {
    const PropertyCost cost = cost_of_properties(setup, cluster, count);
    text += format("| %d | %.2f s | %.2f ms | %.0f ns |\n", count, cost.build, cost.load * 1e3,
                   cost.check * 1e9);
    line.points.emplace_back(count, cost.check * 1e9);
  }
  charts.push_back({"properties", "number of them", {line}});
  return text + "\n";
}

// --- Figures 6.9 to 6.12 ---

using Times = std::map<std::string, double>;  // nanoseconds by call

// The least of several runs.
void add_lines(std::istream& lines, Times& times, std::vector<std::string>& names) {
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) throw std::runtime_error("unexpected: " + line);
    const std::string name = line.substr(space + 1);
    const double value = std::stod(line);
    const auto [place, is_new] = times.try_emplace(name, value);
    if (is_new) names.push_back(name);
    place->second = std::min(place->second, value);
  }
}

// Runs a program of this benchmark as the only node; what it has printed.
std::ifstream run_as_node(const DaraSetup& setup, const std::string& program, bool notes_blocks) {
  MeasuredRequest request;
  request.cluster = setup.work / (program + ".toml");
  std::ofstream(request.cluster) << "[[node]]\nname = \"program\"\ncommand = [\""
                                 << (setup.programs / program).string() << "\"]\n";
  request.paths = 3;
  request.steps = 100'000;
  request.counts_states = notes_blocks;
  request.output = setup.work / (program + "-output");
  for (const MeasuredPath& path : measure_search(request).paths) {
    if (!path.bug.empty()) throw std::runtime_error(program + " as a node: " + path.bug);
  }
  return std::ifstream(request.output / "program.txt");
}

std::string call_text(const DaraSetup& setup) {
  Times native, controlled;
  std::vector<std::string> names, same;
  for (int i = 0; i < 3; ++i) {
    const test::Finished finished =
        test::run({.words = {setup.programs / "native_calls"}, .folder = setup.work});
    std::istringstream lines(finished.output);
    add_lines(lines, native, names);
  }
  std::ifstream lines = run_as_node(setup, "calls", false);
  add_lines(lines, controlled, same);
  std::string text =
      "Figures 6.9 to 6.12: calls in a node against the plain call, in nanoseconds. Calls of "
      "sockets "
      "never reach the kernel here, and each of them hands over to the search and back: that is in "
      "the figure. Files are real, and what changes them is written down, so that it can be put "
      "back. The thesis: 40 to 50 ns to intercept a call, half of the calls by less than 16 %, "
      "without what is written to shared memory (14,161 ns, see below).\n\n| call | native | in a "
      "node | ratio |\n|---|---|---|---|\n";
  std::vector<double> ratios;
  for (const std::string& name : names) {
    const double plain = native.at(name), own = controlled.at(name);
    ratios.push_back(own / plain);
    text += format("| %s | %.0f | %.0f | %.2f |\n", name.c_str(), plain, own, ratios.back());
  }
  std::sort(ratios.begin(), ratios.end());
  return text + format("\nHalf of the calls cost at most %.2f times the plain call.\n\n",
                       ratios.at(ratios.size() / 2));
}

// --- Figures 6.13 and 6.14 ---

struct Recorded {
  std::string kind;
  std::string thesis;
  double bar;  // nanoseconds
};

const Recorded recorded[] = {{"event", "14,161", 200}, {"block", "369", 5}};

std::string record_text(const DaraSetup& setup, std::vector<Chart>& charts) {
  std::map<std::string, std::vector<double>> all;
  std::ifstream lines = run_as_node(setup, "records", true);
  std::string kind;
  for (double time = 0; lines >> kind >> time;) all[kind].push_back(time);
  for (auto& [each, values] : all) std::sort(values.begin(), values.end());
  std::vector<Row> rows;
  for (const Recorded& each : recorded) {
    const std::vector<double>& values = all.at(each.kind);
    const double half = values.at(values.size() / 2);
    rows.push_back({"recording one " + each.kind,
                    format("half under %.1f ns, 90 %% under %.1f, 99 %% under %.1f (the thesis: %s "
                           "on average)",
                           half, values[values.size() * 9 / 10], values[values.size() * 99 / 100],
                           each.thesis.c_str()),
                    format("%.0f ns", each.bar), half <= each.bar});
    ChartLine line{each.kind, {}};
    for (std::size_t percent = 1; percent <= 99; ++percent) {
      line.points.emplace_back(std::max(0.1, values[values.size() * percent / 100]),
                               static_cast<double>(percent) / 100);
    }
    charts.push_back({"share of times to record a " + each.kind + " up to", "nanoseconds", {line}});
  }
  return "Figures 6.13 and 6.14: an event is a value that a node reports (`ricercar::log`), "
         "written "
         "to memory that it shares with the search; a block is the call that the compiler puts "
         "into "
         "every basic block, averaged over 1,000 calls, an event over 10. 1,000 measurements on "
         "each of 3 "
         "paths.\n\n" +
         table(rows);
}

}  // namespace

std::string cost_figures(const DaraSetup& setup) {
  std::vector<Chart> charts;
  std::string text = property_text(setup, charts);
  text += call_text(setup);
  text += record_text(setup, charts);
  draw_charts(setup.docs / picture, charts);
  return text + "\n![checks of properties, events and blocks](" + picture + ")\n";
}

}  // namespace ricercar::bench
