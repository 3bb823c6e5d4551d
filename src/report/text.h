// The report of one bug as text for people. Formats and decides nothing. Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "model/recording.h"
#include "model/schedule.h"
#include "report/summary.h"
#include "report/symbols.h"

namespace ricercar {

struct ReportInput {
  const Recording* recording = nullptr;
  const Schedule* schedule = nullptr;
  std::string schedule_path;   // empty: it could not be saved
  std::string output;          // the end of what the program wrote
  bool output_is_cut = false;  // there was more before
  // A data race: code without instrumentation that may order the accesses, unseen. Libraries, and
  // files of the program.
  std::vector<std::string> unseen_libraries;
  std::vector<std::string> unseen_files;
  std::string warning;  // what a reader must know first: the bug did not come again, ...
};

struct TextOptions {
  int width = 100;
  bool colours = false;
  bool full = false;  // every step, nothing left out
};

// What went wrong, in one sentence.
std::string headline(const ReportInput& input, Symbols& symbols);

// The places that the report is about; none if the replay did not show the bug.
std::vector<PlaceSummary> places(const ReportInput& input, Symbols& symbols);

std::string text_report(const ReportInput& input, Symbols& symbols, const TextOptions& options);

}  // namespace ricercar
