// Makes the report of a recording. Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "model/recording.h"
#include "model/schedule.h"
#include "report/model.h"
#include "report/symbols.h"

namespace ricercar::inline report {

struct ReportInput {
  const Recording* recording = nullptr;
  const Schedule* schedule = nullptr;
  std::string schedule_path;   // empty: it could not be saved
  std::string output;          // the end of what the program wrote
  bool output_is_cut = false;  // there was more before
  // A data race: code without instrumentation that may order the accesses, unseen. Libraries, and
  // files of the program.
  std::vector<std::string> unseen = {};
  std::string warning;    // what a reader must know first: the bug did not come again, ...
  bool full = false;      // every step, nothing left out
  bool detailed = false;  // with Report::detail
};

// The world is the recording's. Without a recording there is only what the search itself saw.
Report build_report(const ReportInput& input, Symbols& symbols);
Report report_without_recording(const ReportInput& input);

// What a step of the trace was, and whose: "T1 locks `mutex` at a.cc:12". Empty: the recording does
// not tell it.
// What is done at a step, if the recording has it, and is one of threads.
std::optional<Step> recorded_step(const Recording& recording, std::uint64_t step);
// Whether two of different tasks are about one object, so that their order matters: not two reads.
bool are_in_conflict(const Step& one, const Step& other);
std::string words_of_step(const Recording& recording, Symbols& symbols, std::uint64_t step);

// The text of the files that its steps and places are in, as far as they can be read; of long files
// the parts that matter.
void add_sources(Report& report);

// One for each way to tell what happened.
void add_threads(Report& report, const Recording& recording, Symbols& symbols, bool detailed);
void add_story(Report& report, const Recording& recording, bool detailed);

}  // namespace ricercar::inline report
