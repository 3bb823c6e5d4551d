// The trace as a table: one column for each thread. Only one thread acts in a row, so its words may
// run on over the columns to its right.
#pragma once

#include <string>

#include "report/model.h"
#include "report/style.h"

namespace ricercar::inline report {

struct TableOptions {
  std::size_t width = 100;
  Painter painter{false};
};

struct RenderedTable {
  std::string text;
  bool names_threads = false;  // what each thread is and where it was created can be seen
};

RenderedTable render_table(const Report& report, const TableOptions& options);

}  // namespace ricercar::inline report
