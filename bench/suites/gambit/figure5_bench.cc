// Figure 5 of GAMBIT (PPoPP 2010): the size of the execution tree over a search of a test without a
// bug, from its beginning to its end, as a picture; and against the tree of the paper's Figure
// 3(a), which has a node for every choice, shared by executions that begin alike.
//
//   figure5_bench TOOL PROGRAMS FOLDER DOCS
//
// A search that is cut short tells the size of its tree, and searches are deterministic: so each
// point is a search of its own. What it makes goes to FOLDER; the picture and the figures to DOCS.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/measure.h"
#include "suites/search.h"

namespace {

using namespace ricercar::bench;

constexpr const char* unit_test = "blocking_collection";
const std::vector<std::string> unit_test_arguments = {"fixed", "1", "0"};
constexpr std::uint64_t points = 12;
constexpr SearchLimits limits{10'000'000, 600};  // it has to end before
constexpr double node_bytes = 16;                // as the paper has it
constexpr const char* picture = "gambit-figure5.svg";

struct Series {
  std::string title;
  std::string strategy;
};

const Series series[] = {
    {"(a) DPOR, BF(mdpor,pb)", "bestfirst:space=dpor,priority=mdpor+pb,measure=yes"},
    {"(b) PB(2), BF(mdpor)", "bestfirst:space=pb=2,priority=mdpor,measure=yes"},
};

struct Point {
  double executions = 0;
  double waiting = 0;
  double nodes = 0;
  double uncompressed = 0;  // nodes of the other tree
};

Point point_from(const SearchResult& result) {
  unsigned long long executions = 0, waiting = 0, nodes = 0, bytes = 0, uncompressed = 0;
  const int fields = std::sscanf(result.coverage.c_str(),
                                 "executions, best first: %llu; %llu more are known and wait (a "
                                 "tree of %llu nodes; %llu bytes "
                                 "with what waits; a node for each choice would be %llu",
                                 &executions, &waiting, &nodes, &bytes, &uncompressed);
  if (fields != 5) throw std::runtime_error("unexpected: " + result.coverage);
  return {static_cast<double>(executions), static_cast<double>(waiting), static_cast<double>(nodes),
          static_cast<double>(uncompressed)};
}

SearchResult search(const Searcher& searcher, const std::string& strategy,
                    std::uint64_t executions) {
  const SearchLimits own{executions, limits.seconds};
  SearchResult result = searcher.search({unit_test, unit_test_arguments, strategy, 1, own});
  if (result.found()) throw std::runtime_error("a bug in the fixed twin: " + result.bug);
  return result;
}

// The last point is the end, where nothing is left.
std::vector<Point> measure(const Searcher& searcher, const std::string& strategy) {
  const SearchResult whole = search(searcher, strategy, limits.executions);
  if (!whole.complete) throw std::runtime_error("the search does not end: " + whole.coverage);
  std::vector<Point> all = {{0, 1, 1, 1}};
  for (std::uint64_t i = 1; i < points; ++i) {
    all.push_back(point_from(search(searcher, strategy, whole.executions * i / points)));
    std::printf("%8.0f executions: %8.0f wait, %8.0f nodes, %10.0f uncompressed\n",
                all.back().executions, all.back().waiting, all.back().nodes,
                all.back().uncompressed);
    std::fflush(stdout);
  }
  all.push_back({static_cast<double>(whole.executions), 0, 0, 0});
  return all;
}

std::string format(const char* pattern, double a, double b = 0, double c = 0, double d = 0) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, a, b, c, d);
  return text;
}

// --- The picture ---

constexpr double panel_width = 420, panel_height = 300;
constexpr double left = 70, right = 20, top = 40, bottom = 50;

std::string svg_text(double x, double y, const std::string& anchor, const std::string& text) {
  return format("<text x=\"%.1f\" y=\"%.1f\"", x, y) + " text-anchor=\"" + anchor + "\">" + text +
         "</text>\n";
}

// 1, 2 or 5 times a power of ten, so that there are at most five steps to the largest value.
double tick_step(double largest) {
  double step = 1;
  while (step * 5 < largest) step *= 10;
  while (step / 10 * 5 >= largest) step /= 10;
  for (const double part : {0.2, 0.4}) {
    if (step * part * 5 >= largest) return step * part;
  }
  return step;
}

struct Line {
  std::string title;
  std::string colour;
  double Point::*value;
  double unit;  // values are shown in multiples of it
};

struct Chart {
  std::string title;
  std::vector<Line> lines;
};

const Chart charts[] = {
    {"thousands",
     {{"nodes of the tree", "#1f5fa8", &Point::nodes, 1000},
      {"executions that wait", "#c2601c", &Point::waiting, 1000}}},
    {"thousands",
     {{"nodes of the tree", "#1f5fa8", &Point::nodes, 1000},
      {"with a node for each choice", "#888888", &Point::uncompressed, 1000}}},
};

class Panel {
 public:
  Panel(double x, double y, const Chart& chart, const std::vector<Point>& all)
      : x_(x), y_(y), chart_(chart), all_(all) {
    for (const Point& point : all) {
      largest_x_ = std::max(largest_x_, point.executions);
      for (const Line& line : chart.lines) {
        largest_y_ = std::max(largest_y_, point.*line.value / line.unit);
      }
    }
  }

  std::string draw(const std::string& title) const {
    std::string text = svg_text(x_ + panel_width / 2, y_ + 20, "middle", title);
    text += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x_ + left,
                   y_ + top, panel_width - left - right, panel_height - top - bottom) +
            " fill=\"none\" stroke=\"#888\"/>\n";
    text += svg_text(x_ + panel_width / 2, y_ + panel_height - 12, "middle", "executions");
    text += svg_text(x_ + left - 8, y_ + top - 10, "middle", chart_.title);
    text += axes();
    double legend = y_ + panel_height - bottom - 10;
    for (const Line& line : chart_.lines) {
      text += polyline(line) + "<g fill=\"" + line.colour + "\">" +
              svg_text(x_ + panel_width - right - 8, legend, "end", line.title) + "</g>\n";
      legend -= 16;
    }
    return text;
  }

 private:
  std::string axes() const {
    std::string text;
    const double step_x = tick_step(largest_x_);
    for (double at = 0; at <= largest_x_ * 1.0001; at += step_x) {
      text += svg_text(x_at(at), y_ + panel_height - bottom + 16, "middle", format("%.0f", at));
    }
    const double step_y = tick_step(largest_y_);
    for (double at = 0; at <= largest_y_ * 1.0001; at += step_y) {
      text += svg_text(x_ + left - 6, y_at(at) + 4, "end", format("%.0f", at));
      text += format("<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", x_ + left, y_at(at),
                     x_ + panel_width - right);
    }
    return text;
  }

  double x_at(double executions) const {
    return x_ + left + executions / largest_x_ * (panel_width - left - right);
  }
  double y_at(double value) const {
    return y_ + panel_height - bottom - value / largest_y_ * (panel_height - top - bottom);
  }
  std::string polyline(const Line& line) const {
    std::string text =
        "<polyline fill=\"none\" stroke=\"" + line.colour + "\" stroke-width=\"2\" points=\"";
    for (const Point& point : all_) {
      text += format("%.1f,%.1f ", x_at(point.executions), y_at(point.*line.value / line.unit));
    }
    return text + "\"/>\n";
  }

  double x_, y_;
  const Chart& chart_;
  const std::vector<Point>& all_;
  double largest_x_ = 1;
  double largest_y_ = 1;
};

void draw(const std::string& path, const std::vector<std::vector<Point>>& all) {
  std::ofstream file(path);
  file << format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\"",
                 panel_width * static_cast<double>(all.size()),
                 panel_height * static_cast<double>(std::size(charts)))
       << " font-family=\"sans-serif\" font-size=\"12\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < std::size(charts); ++j) {
      const Panel panel(panel_width * static_cast<double>(i), panel_height * static_cast<double>(j),
                        charts[j], all[i]);
      file << panel.draw(series[i].title);
    }
  }
  file << "</svg>\n";
}

// --- The figures ---

std::string section(const std::vector<std::vector<Point>>& all) {
  std::string text =
      "## GAMBIT: Figure 5\n\n" + machine() + "\n\nThe execution tree over a whole search of `" +
      unit_test +
      " fixed 1 0`, which has no bug: the unit test of the paper's figure with one item. "
      "With two the search over DPOR had not ended after 600,000 executions. The paper's search "
      "over "
      "DPOR ended after 326,743 executions and had 90,159 nodes at most (0.28 of the executions); "
      "for PB(2) it shows a rise, a plateau, and says that the way back to nothing comes at the "
      "very "
      "end. The tree of its Figure 3(a) has a node for each choice, shared by executions that "
      "begin "
      "alike: that is what the last rows compare with, at the deepest point of what waits.\n\n"
      "![size over executions](" +
      picture + ")\n\n";
  std::vector<Row> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Point& most =
        *std::max_element(all[i].begin(), all[i].end(),
                          [](const Point& a, const Point& b) { return a.nodes < b.nodes; });
    const double executions = all[i].back().executions;
    rows.push_back({series[i].title + ", `" + series[i].strategy + "`, executions in all",
                    format("%.0f", executions), "", true});
    rows.push_back({"at its largest, at the points that were looked at",
                    format("%.0f nodes (%.2f of the executions, %.1f MB with the paper's 16 bytes "
                           "each), after %.0f executions",
                           most.nodes, most.nodes / executions, most.nodes * node_bytes / 1e6,
                           most.executions) +
                        format("; %.0f wait", most.waiting),
                    "", true});
    rows.push_back(
        {"against a node for each choice",
         format("%.3f of its %.0f nodes", most.nodes / most.uncompressed, most.uncompressed), "",
         true});
  }
  return text + table(rows) + "\n";
}

void run(char** arguments) {
  const Searcher searcher(arguments[1], arguments[2], arguments[3]);
  const std::string docs = arguments[4];
  std::vector<std::vector<Point>> all;
  for (const Series& one : series) all.push_back(measure(searcher, one.strategy));
  draw(docs + "/" + picture, all);
  const std::string text = section(all);
  std::printf("\n%s", text.c_str());
  write_section(docs + "/BENCHMARKS.md", "gambit figure 5", text);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: figure5_bench TOOL PROGRAMS FOLDER DOCS\n");
    return 2;
  }
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "figure5_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
