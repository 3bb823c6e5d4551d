// The one line on standard error that shows how a search goes. Only on a terminal.
#pragma once

#include <cstdint>

#include "search/control.h"

namespace ricercar::inline cli {

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
