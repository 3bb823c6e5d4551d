#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace ricercar::inline cli {
namespace {

constexpr int least_width = 60;
constexpr int greatest_width = 200;

bool wants_no_colour() {
  const char* variable = std::getenv("NO_COLOR");
  return variable != nullptr && *variable != '\0';
}

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

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

}  // namespace ricercar::inline cli
