#include "suites/hapset/columns.h"

#include <algorithm>
#include <cstdio>

namespace ricercar::bench {

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string cell(const Measured& measured, double limit) {
  std::string text = format("%.0f", measured.runs);
  if (measured.found != 0) {
    text = "**" + text + "** (" + format("%.2f s)", measured.seconds);
    if (measured.found < measured.seeds) {
      text += ", " + std::to_string(measured.found) + " of " + std::to_string(measured.seeds);
    }
    if (measured.first_part != 0) text += ", after " + std::to_string(measured.first_part);
    return text;
  }
  if (!measured.other_bug.empty()) return text + ", another bug: " + measured.other_bug;
  // A pruned search ends without being complete.
  const bool has_ended = measured.complete || measured.seconds < 0.9 * limit;
  return text + (has_ended ? " (no)" : " (TO)");
}

std::string heads(const std::string& first, const std::vector<Search>& searches) {
  std::string text = "| " + first;
  std::string line = "|";
  for (std::ptrdiff_t i = std::count(first.begin(), first.end(), '|'); i >= 0; --i) line += "---|";
  for (const Search& search : searches) {
    text += " | " + search.title + ": `" + search.strategy + "`";
    line += "---|";
  }
  return text + " |\n" + line + "\n";
}

}  // namespace ricercar::bench
