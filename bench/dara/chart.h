// Line charts as SVG files, several panels in one.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ricercar::bench {

// printf for short texts.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

struct ChartLine {
  std::string title;
  std::vector<std::pair<double, double>> points;
  bool is_marks = false;  // points that are not connected
};

struct Chart {
  std::string title;
  std::string x_title;
  std::vector<ChartLine> lines;
  bool is_logarithmic = false;  // the values to the right
};

// Side by side, two in a row.
void draw_charts(const std::string& path, const std::vector<Chart>& charts);

}  // namespace ricercar::bench
