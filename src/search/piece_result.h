// What the search of one piece has shown (HasPieces in strategy/capabilities.h), as it passes
// between processes. The one who searches makes it from its Control, the one who has the whole puts
// the results of all pieces together in order, in a Control of its own: it is as if one process had
// searched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/distinct.h"
#include "model/recorded_execution.h"
#include "search/control.h"
#include "search/probe_budget.h"
#include "strategy/capabilities.h"

namespace ricercar::inline search {

// A FoundBug outside of the shared heap.
struct PieceBug : RecordedExecution<std::vector> {
  RecordedOutcome outcome = {};
  std::uint64_t execution = 0;
  std::uint64_t steps = 0;
  std::uint64_t trace_hash = 0;
};

struct PieceIgnored {
  RecordedOutcome outcome;
  std::uint64_t execution;
  std::uint64_t times;
  std::uint32_t suppression;
};

// The texts of a Control that tell something of the program.
struct PieceTexts {
  std::string error, note, not_modelled, late_libraries;
  bool operator==(const PieceTexts&) const = default;
};

struct PieceResult {
  PieceEnd end;           // of the strategy
  SearchFigures figures;  // executions and the like of this piece alone
  bool was_cut = false;   // it is not over: somebody has asked for the end
  bool has_failed = false;
  bool found_end = false;                // a bug that ends the search
  std::optional<std::string> knowledge;  // the world has more choice points now: World::knowledge
  std::vector<PieceBug> bugs;            // executions are counted from the piece's start
  std::vector<PieceIgnored> ignored;     // likewise
  std::vector<RecordedModule> modules;
  PieceTexts texts;
  ClusterFacts cluster;
  std::uint64_t runtime_address = 0;  // where the program's runtime is loaded
  std::optional<DistinctCounter> traces;
  std::vector<std::uint64_t> sampled;  // hashes of traces, if it samples
  // If its executions count one by one (ExecutionPlan) what each of them has shown, and nothing
  // above does. The last one may be one that was probed.
  std::vector<std::string> runs;
};

// What one execution has shown.
struct RunResult {
  PieceResult result;
  ProbeFacts circles;
  bool is_renewed = false;  // the process of the next one would be another one
};

// Most of them show nothing but figures, and take few bytes.
std::string to_bytes(const RunResult& run);
RunResult run_result_from(std::string_view bytes);

std::string to_bytes(const PieceResult& result);
PieceResult piece_result_from(std::string_view bytes);

// What `control` has got since it was at `before`. The bugs and the ignored findings are all its
// own.
PieceResult piece_result_of(const Control& control, const SearchFigures& before);

// Adds it to the whole, in order.
void merge_piece(Control& whole, const PieceResult& result);

}  // namespace ricercar::inline search
