#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

constexpr int least_width = 60;
constexpr int greatest_width = 200;

bool wants_no_colour() {
  const char* variable = std::getenv("NO_COLOR");
  return variable != nullptr && *variable != '\0';
}

std::string find_tool_command() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path found = fs::path(folder) / "ricercar";
    if (::access(found.c_str(), X_OK) != 0) continue;
    return fs::equivalent(found, own, error) ? "ricercar" : own.string();
  }
  return own.string();
}

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

const std::string& tool_command() {
  static const std::string command = find_tool_command();
  return command;
}

bool draws_blocks(std::FILE* stream) {
  if (!is_terminal(stream)) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale = value;
    return locale.ends_with("UTF-8") || locale.ends_with("utf8");
  }
  return false;
}

ReporterOptions reporter_options_for(std::FILE* stream) {
  ReporterOptions options;
  if (!is_terminal(stream)) return options;
  options.colours = !wants_no_colour();
  winsize window{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    options.width = std::clamp(static_cast<int>(window.ws_col), least_width, greatest_width);
  }
  return options;
}

namespace {

// 1234567 -> 1.23M: a width that does not jump about.
std::string rounded(double number) {
  if (number < 10000) return fmt::format("{:.0f}", number);
  if (number < 1e6) return fmt::format("{:.1f}k", number / 1e3);
  if (number < 1e9) return fmt::format("{:.2f}M", number / 1e6);
  return fmt::format("{:.2f}G", number / 1e9);
}

std::string clock(double seconds, double max_seconds) {
  if (max_seconds <= 0) return fmt::format("{:.0f}s", seconds);
  return fmt::format("{:.0f}s of {:.0f}s", seconds, max_seconds);
}

std::string share(const Control& control) {
  if (control.request.max_executions == 0) return {};
  return fmt::format(" of {}", rounded(static_cast<double>(control.request.max_executions)));
}

}  // namespace

void ProgressLine::show(const Control& control, double seconds) {
  const double passed = std::max(seconds - last_seconds_, 1e-3);
  const auto rate = [&](std::uint64_t now, std::uint64_t before) {
    return rounded(static_cast<double>(now - before) / passed);
  };
  std::string line = fmt::format(
      "{}{} executions, {}/s, {} steps/s", rounded(static_cast<double>(control.executions)),
      share(control), rate(control.executions, last_.executions), rate(control.steps, last_.steps));
  if (control.progress[0] != '\0') line += fmt::format(", {}", control.progress);
  if (control.distinct_traces > 0) {
    line += fmt::format(", {} traces", rounded(static_cast<double>(control.distinct_traces)));
  }
  line += fmt::format(", {} bug{}, {}", control.bug_count, control.bug_count == 1 ? "" : "s",
                      clock(seconds, max_seconds_));
  const auto width = static_cast<std::size_t>(reporter_options_for(stderr).width);
  fmt::print(stderr, "\r\x1b[K{}", line.substr(0, width - 1));
  std::fflush(stderr);
  shown_ = true;
  last_seconds_ = seconds;
  last_ = control;
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace ricercar::inline cli
