// The parts of a text report: sections, each a block of lines, or empty if there is nothing to say,
// and the trace (table.cc).
#pragma once

#include <string>

#include "report/model.h"
#include "report/style.h"

namespace ricercar::inline report {

struct SectionOptions {
  std::size_t width = 100;
  Painter painter{false};
};

// Why it went wrong, and until when it could be avoided.
std::string why_section(const Report& report, const SectionOptions& options);
std::string bug_section(const Report& report, const SectionOptions& options);
// Code that is not instrumented, and what to do if it orders the accesses.
std::string unseen_section(const Report& report, const SectionOptions& options);
// What a data race leads to.
std::string past_race_section(const Report& report, const SectionOptions& options);
std::string threads_section(const Report& report, const SectionOptions& options);
std::string blocks_section(const Report& report, const SectionOptions& options);
// `with_threads`: where threads were created is shown, too.
std::string files_section(const Report& report, bool with_threads, const SectionOptions& options);
std::string output_section(const Report& report, const SectionOptions& options);

// Machines.
// How many rows tell what happened.
std::uint64_t rows_shown(const Report& report);
std::string story_section(const Report& report, const SectionOptions& options);
std::string ending_section(const Report& report, const SectionOptions& options);

// The trace as a table: one column for each thread. Only one thread acts in a row, so its words may
// run on over the columns to its right.
struct RenderedTable {
  std::string text;
  bool names_threads = false;  // what each thread is and where it was created can be seen
};
RenderedTable render_table(const Report& report, const SectionOptions& options);

}  // namespace ricercar::inline report
