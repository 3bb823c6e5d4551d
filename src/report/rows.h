// Which events of a recording a reader should see, as rows of a table. Leaves out what nobody else
// touches, what repeats, and the middle of a long trace.
#pragma once

#include <string>
#include <vector>

#include "report/names.h"

namespace ricercar {

struct Row {
  std::string number;  // of the step; empty: not a step of its own
  TaskId task = no_task;
  std::string what;
  std::string place;  // file:line
  std::string text;   // the source line
  bool switched = false;
  bool preempts = false;
  TaskId first_created = no_task;  // the threads that begin here
  TaskId last_created = no_task;
  bool ends = false;        // the thread of this row ends here
  bool is_outcome = false;  // where it went wrong
  std::string gap;          // instead of all this: what was left out here
};

std::vector<Row> choose_rows(Names& names, bool full);

std::uint64_t count_preemptions(const Recording& recording);

}  // namespace ricercar
