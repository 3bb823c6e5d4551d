#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/sections.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t number_width = 6;
constexpr std::size_t left_width = number_width + 3;  // the number, a mark, and space around it
constexpr std::size_t widest_lane = 26;
constexpr std::size_t narrowest_lane = 5;
constexpr std::size_t good_source_width = 46;
constexpr std::size_t least_source_width = 36;
constexpr std::size_t most_lanes = 10;

class Table {
 public:
  Table(const Report& report, const SectionOptions& options) : report_(report), options_(options) {
    for (const ReportStep& step : report.steps) {
      if (!step.gap.is_one()) lanes_.try_emplace(step.lane, 0);
    }
    std::size_t number = 0;
    for (auto& [task, lane] : lanes_) lane = number++;
    has_lanes_ = lanes_.size() <= most_lanes;
    alive_.assign(lanes_.size(), true);
    for (const ReportStep& step : report.steps) note_creations(step);
    measure();
  }

  RenderedTable render() {
    RenderedTable result;
    result.names_threads = names_threads();
    result.text = header();
    for (const ReportStep& step : report_.steps) {
      result.text += step.gap.is_one() ? render_gap(step.gap) : render_row(step);
    }
    return result;
  }

 private:
  // Nothing but where it was created tells threads apart that run the same. That nothing is shown
  // of main says nothing.
  bool names_threads() const {
    if (!has_lanes_) return false;
    std::map<std::string, std::string> places;
    for (const Lane& lane : report_.lanes) {
      if (lane.creator == no_task) continue;
      const bool is_told = lanes_.contains(lane.id) && width_of(title(lane.id)) < lane_width_;
      const std::string place = lane.created.file_and_line();
      if (!is_told || places.try_emplace(lane.title, place).first->second != place) return false;
    }
    return true;
  }

  std::string title(TaskId task) const {
    const std::string function = report_.title(task);
    return function.empty() ? report_.name(task) : report_.name(task) + " " + function;
  }

  // How wide a lane may be if the source has so much room.
  std::size_t lane_width_beside(std::size_t source_width) const {
    const std::size_t taken = std::min(options_.width, left_width + source_width);
    const std::size_t room = (options_.width - taken) / std::max<std::size_t>(lanes_.size(), 1);
    return std::clamp(room, narrowest_lane, widest_lane);
  }

  void measure() {
    std::size_t wanted = narrowest_lane;
    for (const auto& [task, lane] : lanes_) wanted = std::max(wanted, width_of(title(task)) + 2);
    lane_width_ = lane_width_beside(good_source_width);
    if (lane_width_ < wanted && lane_width_beside(least_source_width) >= wanted)
      lane_width_ = wanted;
    if (!has_lanes_) lane_width_ = narrowest_lane;
    // The source begins behind the longest words, unless that leaves too little room for it.
    std::size_t end = left_width + (has_lanes_ ? lane_width_ * lanes_.size() : 0);
    for (const ReportStep& row : report_.steps) {
      if (!row.gap.is_one()) end = std::max(end, words_at(row) + width_of(row.what) + 2);
    }
    source_at_ = std::min(end, options_.width - std::min(options_.width, good_source_width));
  }

  std::size_t words_at(const ReportStep& row) const {
    return left_width + (has_lanes_ ? lanes_.at(row.lane) * lane_width_ : narrowest_lane);
  }

  std::string header() {
    std::string text(left_width - 7, ' ');
    text += "step   ";
    if (!has_lanes_) return text + "thread\n";
    for (const auto& [task, lane] : lanes_) {
      const bool fits = width_of(title(task)) < lane_width_;
      const std::string words = fits ? title(task) : report_.name(task);
      text += options_.painter.paint(Ink::lane, padded(words, lane_width_), lane);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  // Left of the words a bar stands for each thread that is alive; right of them, likewise.
  std::string bars(std::size_t from, std::size_t to, std::size_t filled) const {
    std::string text;
    for (std::size_t lane = from; lane < to; ++lane) {
      if (lane * lane_width_ < filled || !alive_[lane]) continue;
      text.resize(lane * lane_width_ - filled, ' ');
      text += '|';
    }
    return text;
  }

  std::string render_row(const ReportStep& row) {
    const Painter& painter = options_.painter;
    set_alive(row.lane, true);
    const char* mark = row.is_outcome ? "!" : row.preempts ? "*" : row.switched ? ">" : " ";
    const std::size_t lane = lanes_.at(row.lane);
    const std::string number = row.number == 0 ? "" : std::to_string(row.number);
    std::string line = fmt::format("{:>{}} ", number, number_width);
    line += (*mark == ' ' ? mark : painter.paint(Ink::mark, mark)) + " ";
    std::size_t column = 0;  // from the first lane on
    if (has_lanes_) {
      const std::string left = padded(bars(0, lane, 0), lane * lane_width_);
      line += painter.paint(Ink::faint, left);
      column = width_of(left);
    } else {
      line += painter.paint(Ink::lane, padded(report_.name(row.lane), narrowest_lane), lane);
      column = narrowest_lane;
    }
    line += painter.paint(Ink::lane, row.what, lane);
    column += width_of(row.what);
    if (has_lanes_) {
      const std::string right = bars(lane + 1, lanes_.size(), column + 1);
      line += painter.paint(Ink::faint, right.empty() ? "" : " " + right);
      column += right.empty() ? 0 : 1 + width_of(right);
    }
    if (row.first_created != no_task) {
      for (std::uint32_t i = index(row.first_created); i <= index(row.last_created); ++i) {
        set_alive(task_id(i), true);
      }
    }
    if (row.ends) set_alive(row.lane, false);
    line += source(row, left_width + column) + "\n";
    last_place_ = row.place.file_and_line();
    return line;
  }

  // Whoever is created in a row is not there before.
  void note_creations(const ReportStep& step) {
    if (step.first_created == no_task) return;
    for (std::uint32_t i = index(step.first_created); i <= index(step.last_created); ++i) {
      set_alive(task_id(i), false);
    }
  }

  void set_alive(TaskId task, bool alive) {
    const auto lane = lanes_.find(task);
    if (lane != lanes_.end()) alive_[lane->second] = alive;
  }

  std::string source(const ReportStep& row, std::size_t column) const {
    if (!row.place.is_known()) return {};
    const std::size_t start = std::max(source_at_, column + 2);
    const std::size_t room = options_.width > start ? options_.width - start : 0;
    // The name and the line are never cut: they are what a reader clicks on.
    const std::string place = short_place(row.place.file_and_line(), room);
    const std::string& line = row.place.text;
    const bool is_known_text = line.empty() || row.place.file_and_line() == last_place_;
    const std::string text = is_known_text ? place : place + "  " + line;
    const std::string shown = width_of(place) + 8 > room ? place : cut_to(text, room);
    return std::string(start - column, ' ') + options_.painter.paint(Ink::faint, shown);
  }

  std::string render_gap(const ReportStep::Gap& gap) const {
    return std::string(left_width, ' ') +
           options_.painter.paint(Ink::mark, "... " + words_of(gap) + " ...") + "\n";
  }

  static std::string words_of(const ReportStep::Gap& gap) {
    if (gap.left_out != 0) {
      return fmt::format("{} not shown (--full shows everything)", counted(gap.left_out, "row"));
    }
    const std::string what =
        gap.period == 1 ? "the same" : fmt::format("these {} rows", gap.period);
    if (gap.repetitions == 0) return what + " again and again, forever";
    return fmt::format("{} {}{}", what, counted(gap.repetitions, "more time"),
                       gap.for_ever ? ", and so on forever" : "");
  }

  const Report& report_;
  const SectionOptions& options_;
  std::map<TaskId, std::size_t> lanes_;
  std::vector<bool> alive_;
  bool has_lanes_ = true;
  std::size_t lane_width_ = widest_lane;
  std::size_t source_at_ = 0;
  std::string last_place_;  // of the row before: its text is told once
};

}  // namespace

RenderedTable render_table(const Report& report, const SectionOptions& options) {
  return Table(report, options).render();
}

}  // namespace ricercar::inline report
