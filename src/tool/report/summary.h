// The summary of a run: a short block of text, and JSON ("ricercar.run/1": fields are added, never
// renamed). Formats only; safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/figures.h"
#include "model/options.h"
#include "model/stratum.h"
#include "model/worlds.h"
#include "report/coverage_figures.h"
#include "report/instrumentation.h"
#include "report/model.h"

namespace ricercar::inline report {

// A place that a bug is about.
struct PlaceSummary {
  std::string role;  // waits, reads, writes, frees, ...: see report/model.h
  std::string thread;
  std::string function;
  std::string file;
  unsigned line = 0;
};

struct BugSummary {
  std::string kind;
  std::string message;  // one sentence
  std::uint64_t execution = 0;
  std::uint64_t steps = 0;
  std::string schedule;    // the file; empty: it could not be written
  std::string report;      // likewise
  bool confirmed = false;  // the same trace came again when it was replayed
  // Why it is no bug: it did not come again when it was replayed. Empty: it is one.
  std::string doubt;
  std::vector<PlaceSummary> places;
  double minimised_seconds = 0;  // spent on making it shorter
  Report details;
};

// A finding that is not to fail the search.
struct IgnoredSummary {
  std::string kind;
  std::string message;              // one sentence
  std::vector<std::string> places;  // "file.cc:12", or what is known
  std::uint64_t execution = 0;      // the first one with it
  std::uint64_t times = 0;          // how often it was met
  std::string suppression = {};     // the line that it falls under; empty: its kind is ignored
};

// A line of the file of suppressions, and what it was good for.
struct SuppressionSummary {
  std::string text;
  std::uint32_t line = 0;
  std::uint64_t findings = 0;
  std::uint64_t times = 0;  // how often they were met, together
};

// What a search that learns pairs of statements knows at its end.
struct LearnedSummary {
  CoverageFigures figures;
  std::vector<std::uint64_t> added;  // as in CoverageSets
};

LearnedSummary learned_summary(const CoverageSets& sets);

// A schedule of the corpus, which was replayed before the search.
struct CorpusEntry {
  // Of the bug: it came again, or not; the program does something else by now; or the file is bad.
  enum Result { shown, fixed, changed, unreadable };

  std::string file;
  std::string kind;  // of its bug; empty: not known
  Result result = shown;
  std::string reason;  // in a sentence
};

struct RunSummary : SearchFigures {
  WorldKind world = WorldKind::threads;
  std::string program;
  std::vector<std::string> arguments;
  SearchOptions options;
  bool interrupted = false;
  std::string coverage;
  std::vector<std::string> notes;
  std::string error;  // the search could not go on; empty: none
  std::vector<BugSummary> bugs;
  std::vector<BugSummary> unconfirmed;  // what a replay did not show; not counted
  std::vector<IgnoredSummary> ignored;
  std::vector<SuppressionSummary> suppressions;
  std::optional<std::vector<CorpusEntry>> corpus;  // if there is one
  std::vector<Stratum> strata;
  std::optional<LearnedSummary> learned;
  std::vector<UninstrumentedCode> uninstrumented;
  std::vector<std::string> not_modelled;  // what the program does and the search leaves out
  // There was one or the other when there was more than one thread.
  bool is_partly_blind = false;
};

// Every execution was cut at the limit of steps. That is no pass: nobody has seen how the program
// ends.
bool nothing_ended(const RunSummary& summary);

std::string summary_text(const RunSummary& summary);
std::string summary_json(const RunSummary& summary);

}  // namespace ricercar::inline report
