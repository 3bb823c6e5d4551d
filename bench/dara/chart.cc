#include "dara/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>

namespace ricercar::bench {

std::string format(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

namespace {

constexpr double width = 440, height = 280, left = 60, right = 20, top = 40, bottom = 50;
constexpr const char* colours[] = {"#1f5fa8", "#c2601c", "#3a8a3a", "#8a3a8a", "#888888"};

std::string label(double x, double y, const char* anchor, const std::string& text,
                  const std::string& colour = "#333") {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y, anchor,
                colour.c_str()) +
         text + "</text>\n";
}

class Panel {
 public:
  Panel(double x, double y, const Chart& chart) : x_(x), y_(y), chart_(chart) {
    least_x_ = chart.is_logarithmic ? 1e300 : 0;
    for (const ChartLine& line : chart.lines) {
      for (const auto& [at, value] : line.points) {
        least_x_ = std::min(least_x_, at);
        most_x_ = std::max(most_x_, at);
        most_y_ = std::max(most_y_, value);
      }
    }
  }

  std::string draw() const {
    std::string text =
        label(x_ + width / 2, y_ + 20, "middle", chart_.title) +
        label(x_ + width / 2, y_ + height - 12, "middle", chart_.x_title) +
        format("<path fill=\"none\" stroke=\"#888\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", x_ + left,
               y_ + top, y_ + height - bottom, x_ + width - right) +
        label(x_ + left - 6, y_ + top + 4, "end", format("%.4g", most_y_)) +
        label(x_ + left - 6, y_ + height - bottom + 4, "end", "0") +
        label(x_ + left, y_ + height - bottom + 16, "middle", format("%.3g", least_x_)) +
        label(x_ + width - right, y_ + height - bottom + 16, "middle", format("%.4g", most_x_));
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      const std::string colour = colours[i % std::size(colours)];
      text += draw(chart_.lines[i], colour);
      const double legend = y_ + height - bottom - 10 - 15 * static_cast<double>(i);
      text += label(x_ + width - right - 4, legend, "end", chart_.lines[i].title, colour);
    }
    return text;
  }

 private:
  double x_at(double value) const {
    const auto scale = [this](double each) {
      return chart_.is_logarithmic ? std::log(each) : each;
    };
    const double share = (scale(value) - scale(least_x_)) / (scale(most_x_) - scale(least_x_));
    return x_ + left + share * (width - left - right);
  }
  double y_at(double value) const {
    return y_ + height - bottom - value / most_y_ * (height - top - bottom);
  }
  std::string draw(const ChartLine& line, const std::string& colour) const {
    std::string text;
    for (const auto& [at, value] : line.points) {
      text += line.is_marks ? format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                                     x_at(at), y_at(value), colour.c_str())
                            : format("%.1f,%.1f ", x_at(at), y_at(value));
    }
    if (line.is_marks) return text;
    return "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + colour + "\" points=\"" + text +
           "\"/>\n";
  }

  double x_, y_;
  const Chart& chart_;
  double least_x_ = 0, most_x_ = 1e-12, most_y_ = 1e-12;
};

}  // namespace

void draw_charts(const std::string& path, const std::vector<Chart>& charts) {
  const std::size_t columns = std::min<std::size_t>(charts.size(), 2);
  const std::size_t rows = (charts.size() + 1) / 2;
  std::ofstream file(path);
  file << format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\"",
                 width * static_cast<double>(columns), height * static_cast<double>(rows))
       << " font-family=\"sans-serif\" font-size=\"12\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (std::size_t i = 0; i < charts.size(); ++i) {
    file << Panel(width * static_cast<double>(i % 2), height * static_cast<double>(i / 2),
                  charts[i])
                .draw();
  }
  file << "</svg>\n";
}

}  // namespace ricercar::bench
