// The trace as a table: one column for each thread. Only one thread acts in a row, so its words may
// run on over the columns to its right.
#pragma once

#include <string>
#include <vector>

#include "report/rows.h"
#include "report/style.h"

namespace ricercar {

struct TableOptions {
  std::size_t width = 100;
  Painter painter{false};
};

struct RenderedTable {
  std::string text;
  bool names_threads = false;  // what each thread is and where it was created can be seen
};

RenderedTable render_table(Names& names, const std::vector<Row>& rows, const TableOptions& options);

}  // namespace ricercar
