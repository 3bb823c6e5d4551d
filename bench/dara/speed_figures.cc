// How fast clusters are searched: paths against native runs, actions, restarts, compiling.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "dara/chart.h"
#include "dara/dara.h"
#include "dara/measured_search.h"
#include "engine/measure.h"
#include "support/process.h"

namespace ricercar::bench {
namespace {

namespace fs = std::filesystem;
constexpr const char* picture = "dara-actions.svg";

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

// --- Natively: every node of a cluster on this machine, until the last of them has ended ---

struct NativeNode {
  std::string name;
  std::vector<std::string> words;  // a program of this benchmark, and its arguments
  bool ends = true;                // by itself
};

double time_natively(const DaraSetup& setup, const std::vector<NativeNode>& nodes) {
  std::string names;
  for (const NativeNode& node : nodes) names += node.name + ",";
  std::vector<std::unique_ptr<test::Process>> processes;
  const double start = seconds_now();
  for (const NativeNode& node : nodes) {
    std::vector<std::string> words = {
        "/usr/bin/env", "LD_PRELOAD=" + (setup.programs / "libnative_names.so").string(),
        "NATIVE_NAMES=" + names, "NATIVE_NAME=" + node.name};
    words.insert(words.end(), node.words.begin(), node.words.end());
    words[4] = setup.programs / words[4];
    processes.push_back(std::make_unique<test::Process>(test::Command{.words = words}));
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!nodes[i].ends) processes[i]->signal_group(SIGKILL);
    const test::Finished finished = processes[i]->wait();
    if (nodes[i].ends && finished.status != 0) {
      throw std::runtime_error(nodes[i].name + " natively: " + finished.error);
    }
  }
  return seconds_now() - start;
}

std::vector<NativeNode> native_philosophers() {
  const auto philosopher = [](const std::string& name, const std::string& neighbour) {
    return NativeNode{
        name,
        {"native_philosopher", "--name=" + name, "--neighbour=" + neighbour, "--table=table"},
        false};
  };
  return {philosopher("A", "B"),
          philosopher("B", "C"),
          philosopher("C", "A"),
          {"table", {"native_philosopher", "--guests=A,B,C"}, true}};
}

std::vector<std::string> ring_words(int i, int rounds) {
  const char* const next[] = {"b", "c", "a"};
  std::vector<std::string> words = {"--next=" + std::string(next[i]),
                                    "--rounds=" + std::to_string(rounds)};
  if (i == 0) words.push_back("--first=yes");
  return words;
}

double time_ring_natively(const DaraSetup& setup, int rounds) {
  std::vector<NativeNode> nodes;
  for (int i = 0; i < 3; ++i) {
    nodes.push_back({std::string(1, static_cast<char>('a' + i)), {"native_ring"}, true});
    const std::vector<std::string> words = ring_words(i, rounds);
    nodes.back().words.insert(nodes.back().words.end(), words.begin(), words.end());
  }
  return best_of(5, [&] { return time_natively(setup, nodes); });
}

MeasuredRequest ring(const DaraSetup& setup, int rounds) {
  MeasuredRequest request;
  request.cluster = setup.work / format("ring%d.toml", rounds);
  std::ofstream file(request.cluster);
  for (int i = 0; i < 3; ++i) {
    file << "[[node]]\nname = \"" << static_cast<char>('a' + i) << "\"\ncommand = [\""
         << (setup.programs / "ring").string() << '"';
    for (const std::string& word : ring_words(i, rounds)) file << ", \"" << word << '"';
    file << "]\n";
  }
  request.paths = 100;
  return request;
}

// --- The figures ---

std::string philosophers_text(const DaraSetup& setup, std::vector<Row>& rows) {
  MeasuredRequest request;
  request.cluster = setup.clusters / "philosophers/none.toml";
  const MeasuredSearch search = measure_search(request);
  std::vector<double> native;
  for (int i = 0; i < 5; ++i) native.push_back(time_natively(setup, native_philosophers()));
  const double ratio = search.seconds_of_a_path() / median(native);
  rows.push_back({"a path of the philosophers against running them natively",
                  format("%.4f times: %.2f ms against %.0f ms", ratio,
                         search.seconds_of_a_path() * 1e3, median(native) * 1e3),
                  "1", ratio <= 1});
  return format(
      "Figure 6.7: one path of the philosophers takes %.4f times as long as running the same "
      "programs natively, because time is virtual (the thesis: 3.2 times). Medians of 50 paths and "
      "of 5 runs.\n\n",
      ratio);
}

struct RingFigures {
  double per_action = 0;  // seconds, from the slope
  std::string text;
};

RingFigures actions_text(const DaraSetup& setup) {
  RingFigures figures;
  figures.text =
      "Figure 6.15: run time against the number of actions: a token that goes round between three "
      "nodes over TCP. A native run begins three processes. The thesis has a plot only: native "
      "runs "
      "stay flat, with Dara in charge the time grows linearly.\n\n| rounds | actions of a path | a "
      "path | natively |\n|---|---|---|---|\n";
  ChartLine searched{"a path, ms", {}}, native{"natively, ms", {}};
  for (const int rounds : {5, 20, 50, 100, 200}) {
    const MeasuredSearch search = measure_search(ring(setup, rounds));
    const double alone = time_ring_natively(setup, rounds);
    const double path = search.seconds_of_a_fast_path(), actions = search.steps_of_a_path();
    figures.text +=
        format("| %d | %.0f | %.2f ms | %.2f ms |\n", rounds, actions, path * 1e3, alone * 1e3);
    searched.points.emplace_back(actions, path * 1e3);
    native.points.emplace_back(actions, alone * 1e3);
  }
  const auto& [first_actions, first_time] = searched.points.front();
  const auto& [last_actions, last_time] = searched.points.back();
  figures.per_action = (last_time - first_time) / (last_actions - first_actions) / 1e3;
  draw_charts(setup.docs / picture, {{"run time", "actions", {searched, native}}});
  figures.text += std::string("\n![run time against actions](") + picture + ")\n\n";
  return figures;
}

void add_action(double per_action, std::vector<Row>& rows) {
  const double handover = handover_seconds();
  const double bar = 10.0 / 2.2 * handover;
  rows.push_back({"an action with a change of node",
                  format("%.1f µs; a futex hand-over: %.1f µs", per_action * 1e6, handover * 1e6),
                  format("10 µs where a hand-over costs 2.2: %.1f µs here", bar * 1e6),
                  per_action <= bar});
}

void add_restart(const DaraSetup& setup, std::vector<Row>& rows) {
  MeasuredRequest request = ring(setup, 5);
  request.steps = 1;
  const double seconds = measure_search(request).seconds_of_a_fast_path();
  rows.push_back(
      {"restart of three nodes, whose path is cut at the first step (the thesis: seconds)",
       format("%.2f ms", seconds * 1e3), "2 ms", seconds <= 2e-3});
}

void add_paths_per_second(const DaraSetup& setup, std::vector<Row>& rows) {
  const MeasuredSearch search = measure_search(ring(setup, 18));
  const double speed = 1 / search.seconds_of_a_fast_path();
  rows.push_back({format("three nodes with %.0f actions a path", search.steps_of_a_path()),
                  format("%.0f paths a second", speed), "300 with 200 actions", speed >= 300});
}

double time_compiling(const std::vector<std::string>& compiler, const fs::path& source,
                      const fs::path& object) {
  test::Command command{.words = compiler};
  command.words.insert(command.words.end(),
                       {"-std=c++20", "-O1", "-g", "-pthread", "-c", source, "-o", object});
  const test::Finished finished = test::run(command);
  if (finished.status != 0) throw std::runtime_error(test::describe(command, finished));
  return finished.seconds;
}

void add_compiling(const DaraSetup& setup, std::vector<Row>& rows) {
  for (const char* source : {"raft/raft_node.cc", "philosophers/philosopher.cc"}) {
    double plain = 1e9, controlled = 1e9;
    for (int i = 0; i < 5; ++i) {
      plain = std::min(
          plain, time_compiling({"/usr/bin/c++"}, setup.suite / source, setup.work / "plain.o"));
      controlled =
          std::min(controlled, time_compiling({setup.tool, "c++", "--coverage"},
                                              setup.suite / source, setup.work / "controlled.o"));
    }
    const double ratio = controlled / plain;
    rows.push_back({"compiling " + std::string(source) + " with `ricercar c++ --coverage`",
                    format("%.2f times `-O1 -g`: %.2f s", ratio, controlled), "1.5", ratio <= 1.5});
  }
}

// A bug that needs a crash or a late answer, found and then run again and again: the replay
// compares every step, with its values, and the bug at its end.
void add_replays(const DaraSetup& setup, std::vector<Row>& rows) {
  const std::filesystem::path out = setup.work / "replays";
  const test::Command search{.words = {setup.tool, "run", "--quiet", "--steps", "5000", "--out",
                                       out, "--nodes", setup.clusters / "raft/applies_twice.toml"}};
  if (const test::Finished found = test::run(search); found.status != 1) {
    throw std::runtime_error(test::describe(search, found));
  }
  const test::Finished replayed =
      test::run({.words = {setup.tool, "replay", "--times", "1000", out / "bug-1.json"},
                 .timeout_seconds = 600});
  const bool are_all = replayed.output.find("1000 of 1000 replays") != std::string::npos;
  rows.push_back({"replays of a bug of raft that end in the same event with the same values",
                  are_all ? "1000 of 1000" : "fewer than 1000 of 1000", "1000 of 1000", are_all});
}

}  // namespace

std::string speed_figures(const DaraSetup& setup) {
  std::vector<Row> rows;
  const std::string philosophers = philosophers_text(setup, rows);
  const RingFigures ring_figures = actions_text(setup);
  add_action(ring_figures.per_action, rows);
  add_restart(setup, rows);
  add_paths_per_second(setup, rows);
  add_compiling(setup, rows);
  add_replays(setup, rows);
  return table(rows) + "\n" + philosophers + ring_figures.text;
}

}  // namespace ricercar::bench
