// What a delaying explorer does to a search space: how many new states each stratum of a correct
// protocol has, for each explorer, as a picture.
//
//   strata_bench TOOL PROGRAMS FOLDER PICTURE.svg
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "suites/search.h"

namespace {

using namespace ricercar::bench;

constexpr SearchLimits limits{1000000000, 20};
constexpr double panel_width = 440, panel_height = 280, margin = 55;

struct Protocol {
  std::string program;
  std::vector<std::string> arguments;
};

const Protocol protocols[] = {
    {"two_phase_commit", {"clients=1"}},
    {"chain_replication", {"updates=1"}},
    {"transactions", {}},
    {"paxos", {}},
};

struct Explorer {
  const char* name;
  const char* colour;
};

constexpr Explorer explorers[] = {{"rr", "#1f5fa8"}, {"rtc", "#c2601c"}, {"prr", "#3a8a3a"}};

std::string format(const char* pattern, double a, double b) {
  char text[128];
  std::snprintf(text, sizeof text, pattern, a, b);
  return text;
}

std::string label(double x, double y, const std::string& text, const std::string& colour = "#333") {
  return format("<text x=\"%.1f\" y=\"%.1f\"", x, y) + " fill=\"" + colour + "\">" + text +
         "</text>\n";
}

// Delays to the right, new states upwards, both axes shared by the explorers of a protocol.
class Panel {
 public:
  Panel(double x, double y, const std::vector<SearchResult>& results) : x_(x), y_(y) {
    for (const SearchResult& result : results) {
      for (const StratumFigures& stratum : result.strata) {
        most_delays_ = std::max(most_delays_, static_cast<double>(stratum.cost));
        most_states_ = std::max(most_states_, static_cast<double>(stratum.new_states));
      }
    }
  }

  std::string axes(const std::string& title) const {
    return label(x_ + margin, y_ + 20, title) +
           label(x_ + margin, y_ + panel_height - 8, "delays") +
           label(x_ + 5, y_ + 40, format("%.0f", most_states_, 0)) +
           label(x_ + panel_width - 40, y_ + panel_height - 30, format("%.0f", most_delays_, 0)) +
           format("<path fill=\"none\" stroke=\"#888\" d=\"M%.1f %.1f", x_ + margin, y_ + 30) +
           format("V%.1fH%.1f\"/>\n", y_ + panel_height - margin + 10, x_ + panel_width - 10);
  }
  std::string line(const SearchResult& result, const Explorer& explorer, double legend) const {
    std::string text = "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" +
                       std::string(explorer.colour) + "\" points=\"";
    for (const StratumFigures& stratum : result.strata) {
      text += format("%.1f,%.1f ", x_at(static_cast<double>(stratum.cost)),
                     y_at(static_cast<double>(stratum.new_states)));
    }
    const std::string whole = result.complete ? "every state: " : "so far: ";
    return text + "\"/>\n" +
           label(x_ + panel_width - 190, y_ + legend,
                 std::string(explorer.name) + ", " + whole + std::to_string(result.states),
                 explorer.colour);
  }

 private:
  double x_at(double delays) const {
    return x_ + margin + delays / most_delays_ * (panel_width - margin - 20);
  }
  double y_at(double states) const {
    return y_ + panel_height - margin + 10 - states / most_states_ * (panel_height - margin - 30);
  }

  double x_, y_;
  double most_delays_ = 1;
  double most_states_ = 1;
};

std::string panel(const Searcher& searcher, const Protocol& protocol, double x, double y) {
  std::vector<SearchResult> results;
  for (const Explorer& explorer : explorers) {
    results.push_back(searcher.search({protocol.program, protocol.arguments,
                                       std::string("ses:explorer=") + explorer.name, 1, limits}));
    if (results.back().found())
      throw std::runtime_error("a bug in the correct " + protocol.program);
    std::printf("%s, %s: %llu states in %zu strata\n", protocol.program.c_str(), explorer.name,
                static_cast<unsigned long long>(results.back().states),
                results.back().strata.size());
    std::fflush(stdout);
  }
  const Panel drawing(x, y, results);
  std::string title = protocol.program;
  for (const std::string& argument : protocol.arguments) title += " " + argument;
  std::string text = drawing.axes(title + ": new states of each stratum");
  for (std::size_t i = 0; i < results.size(); ++i) {
    text += drawing.line(results[i], explorers[i], 45 + 18 * static_cast<double>(i));
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: strata_bench TOOL PROGRAMS FOLDER PICTURE.svg\n");
    return 2;
  }
  try {
    const Searcher searcher(arguments[1], arguments[2], arguments[3]);
    std::string text =
        "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
        format(" width=\"%.0f\" height=\"%.0f\"", 2 * panel_width, 2 * panel_height) +
        " font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for (std::size_t i = 0; i < std::size(protocols); ++i) {
      text += panel(searcher, protocols[i], panel_width * static_cast<double>(i % 2),
                    panel_height * std::floor(static_cast<double>(i) / 2));
    }
    std::ofstream(arguments[4]) << text << "</svg>\n";
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
