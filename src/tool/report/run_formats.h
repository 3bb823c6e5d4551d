// The formats that the summary of a run can be written in for those who gather results: one table.
// A new one is a function over RunSummary in a file of its own, and a row of the table; then
// `ricercar run` has the option. Formats only; safe to call from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/summary.h"

namespace ricercar::inline report {

// The files of a summary are named as from the folder where the tool runs. Whoever gathers results
// wants them as from the top of the repository.
struct SourceRoot {
  std::string root;    // an absolute path; empty: not known
  std::string folder;  // where the tool runs, absolute
};

struct RunFormatContext {
  SourceRoot sources;
  std::string version;      // of the tool
  std::string replay_tool;  // how to call it
};

// X(name). Each is a function `NAME_summary`; the options are in cli/run_options.cc.
#define RICERCAR_RUN_FORMATS(X) \
  X(junit)                      \
  X(sarif)                      \
  X(github)

#define RICERCAR_DECLARATION(name) \
  std::string name##_summary(const RunSummary& summary, const RunFormatContext& context);
RICERCAR_RUN_FORMATS(RICERCAR_DECLARATION)
#undef RICERCAR_DECLARATION

// --- What they have in common ---

// "src/queue.cc", or an absolute path if the file is not below the root. Empty stays empty.
std::string file_in_repository(const std::string& file, const SourceRoot& sources);

// Bytes that are no UTF-8, and characters that XML does not allow, become U+FFFD.
std::string valid_text(std::string_view text);

// "./queue_test --items 3"
std::string command_of(const RunSummary& summary);

// "ricercar replay FILE", or empty if the schedule could not be saved.
std::string replay_of(const BugSummary& bug, const RunFormatContext& context);

// Why the run is no pass although no bug was found; empty: it is one.
std::string failure_without_bug(const RunSummary& summary);

// Where a bug is shown: the first of its places with a line. Null: none.
const PlaceSummary* main_place(const BugSummary& bug);

}  // namespace ricercar::inline report
