#include "report/coverage_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/coverage_curve.h"
#include "report/coverage_figures.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

constexpr std::uint64_t width = 720;
constexpr std::uint64_t height = 360;
constexpr std::uint64_t left = 80;
constexpr std::uint64_t right = 20;
constexpr std::uint64_t top = 30;
constexpr std::uint64_t bottom = 50;
constexpr std::uint64_t most_points = 600;
constexpr std::uint64_t most_ticks = 6;

constexpr const char* style = R"(<style>
  .curve { fill: none; stroke: #1f6feb; stroke-width: 2; }
  .all { stroke: #8a6d00; stroke-width: 1.5; stroke-dasharray: 6 4; }
  .axis { stroke: #57606a; }
  .grid { stroke: #d0d7de; }
  .words { fill: #24292f; font: 12px sans-serif; }
  @media (prefers-color-scheme: dark) {
    .curve { stroke: #58a6ff; }
    .all { stroke: #d4a72c; }
    .axis { stroke: #8b949e; }
    .grid { stroke: #30363d; }
    .words { fill: #c9d1d9; }
  }
</style>
)";

// 1, 2 or 5 times a power of ten, so that there are few ticks up to `most`.
std::uint64_t tick_distance(std::uint64_t most) {
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t factor : {1, 2, 5}) {
      if (most / (power * factor) <= most_ticks || power > most) return power * factor;
    }
  }
}

class Picture {
 public:
  explicit Picture(const CoverageSets& sets)
      : curve_(sets),
        figures_(figures_of(sets)),
        most_executions_(std::max<std::uint64_t>(curve_.executions(), 1)),
        seen_(curve_.pairs_after(curve_.executions())),
        most_pairs_(
            std::max<std::uint64_t>(std::max(seen_, figures_.seen) + figures_.possible, 1)) {
    draw(sets);
  }

  std::string text() { return std::move(text_); }

 private:
  static double scaled(std::uint64_t value, std::uint64_t most, std::uint64_t size) {
    return static_cast<double>(value) / static_cast<double>(most) * static_cast<double>(size);
  }
  double x(std::uint64_t executions) const {
    return left + scaled(executions, most_executions_, width - left - right);
  }
  double y(std::uint64_t pairs) const {
    return height - bottom - scaled(pairs, most_pairs_, height - top - bottom);
  }

  void draw(const CoverageSets& sets) {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\">\n<title>{}: "
        "{}</title>\n{}",
        width, height, markup(sets.program), pairs_sentence(figures_), style);
    draw_executions();
    draw_pairs();
    if (figures_.possible > 0) draw_possible();
    text_ += fmt::format("<path class=\"curve\" d=\"{}\"/>\n</svg>\n", path());
  }

  void line(const char* kind, double x1, double y1, double x2, double y2) {
    text_ += fmt::format(
        "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1,
        y1, x2, y2);
  }
  void words(double x, double y, const char* anchor, const std::string& words) {
    text_ += fmt::format(
        "<text class=\"words\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y,
        anchor, words);
  }

  void draw_executions() {
    const std::uint64_t distance = tick_distance(most_executions_);
    for (std::uint64_t tick = 0; tick <= most_executions_; tick += distance) {
      line("axis", x(tick), y(0), x(tick), y(0) + 5);
      words(x(tick), y(0) + 20, "middle", grouped(tick));
    }
    line("axis", left, y(0), width - right, y(0));
    words((left + width - right) / 2.0, height - 10, "middle", "executions");
  }

  void draw_pairs() {
    const std::uint64_t distance = tick_distance(most_pairs_);
    for (std::uint64_t tick = 0; tick <= most_pairs_; tick += distance) {
      if (tick > 0) line("grid", left, y(tick), width - right, y(tick));
      words(left - 8, y(tick) + 4, "end", grouped(tick));
    }
    line("axis", left, y(0), left, top);
    words(left, top - 12, "middle", "pairs seen");
  }

  void draw_possible() {
    line("all", left, y(most_pairs_), width - right, y(most_pairs_));
    words(width - right, y(most_pairs_) - 6, "end",
          fmt::format("with the {} that look possible", grouped(figures_.possible)));
  }

  // Steps: a corner where the number changes.
  std::string path() const {
    std::string result = fmt::format("M{:.1f} {:.1f}", x(0), y(0));
    const std::uint64_t points = std::min(most_points, curve_.executions());
    std::uint64_t last = 0;
    for (std::uint64_t point = 1; point <= points; ++point) {
      const std::uint64_t executions = curve_.executions() * point / points;
      const std::uint64_t pairs = curve_.pairs_after(executions);
      if (pairs != last) result += fmt::format("H{:.1f}V{:.1f}", x(executions), y(pairs));
      last = pairs;
    }
    return result + fmt::format("H{:.1f}", x(curve_.executions()));
  }

  CoverageCurve curve_;
  CoverageFigures figures_;
  std::uint64_t most_executions_;
  std::uint64_t seen_;
  std::uint64_t most_pairs_;
  std::string text_;
};

}  // namespace

std::string coverage_svg(const CoverageSets& sets) { return Picture(sets).text(); }

}  // namespace ricercar::inline report
