// What the tool knows about where its words go, and the line that shows how a search goes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "report/reporters.h"
#include "search/control.h"

namespace ricercar::inline cli {

bool is_terminal(std::FILE* stream);

// How to call this tool again: "ricercar" if a shell finds it by that name, otherwise its path.
const std::string& tool_command();

// A terminal that shows more than ASCII.
bool draws_blocks(std::FILE* stream);

// As wide as the terminal, and coloured there unless NO_COLOR is set; plain text otherwise.
ReporterOptions reporter_options_for(std::FILE* stream);

// The one line on standard error that shows how a search goes. Only on a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(double max_seconds) : max_seconds_(max_seconds) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Control& control, double seconds);
  void clear();

 private:
  double max_seconds_;
  double last_seconds_ = 0;
  SearchFigures last_;
  bool shown_ = false;
};

}  // namespace ricercar::inline cli
