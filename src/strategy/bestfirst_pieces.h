// How a best-first search is cut into pieces (HasPieces in capabilities.h).
//
// What runs next depends on all that has run, so the order is the whole's: it has the fringe, and
// does with it what one process does, but has each execution run by somebody else. What an
// execution shows depends on little: on where it differs from the default behaviour, in a reduced
// space on who was taken before it at these points, and on what was learned (the context below). So
// those that wait are run ahead of their turn, the best ones first. A piece is some of them, and
// who searches it goes on with what they find for as long as nothing that waits elsewhere would
// come before. What was run is kept until its turn comes. If it was given another name by then
// (KnownExecutions::Name), or more was learned, it is run again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strategy/capabilities.h"
#include "strategy/known_executions.h"
#include "strategy/priority.h"

namespace ricercar::inline strategy {

// A decision that an execution could have taken.
struct FoundDecision {
  std::uint32_t depth = 0;  // of its point, counted from 1
  std::uint16_t choice = 0;
  bool is_value = false;
  std::uint64_t priority = 0;               // without the functions that go by order
  std::uint64_t past = 0;                   // for these; with the task
  Footprint passed = {};                    // in a reduced space: what the execution did there
  std::vector<std::uint16_t> instead = {};  // if one of these is known there, it is not wanted
};

// What an execution tells about others, and what it adds to the figures of the search.
struct RunReport {
  bool is_redundant = false;
  bool is_at_limit = false;
  bool is_reduced = false;  // the space
  double share = 0;         // of the space
  std::vector<std::pair<std::uint32_t, std::uint16_t>> detours;
  std::vector<Footprint> own;          // in a reduced space: what it did where it was to differ
  std::uint64_t values = 0;            // so many of the decisions are found before that is noted
  std::vector<FoundDecision> found;    // in order
  std::optional<std::string> context;  // if more is known than before

  std::string to_bytes(const Priorities& priorities) const;
  static RunReport from(std::string_view bytes, const Priorities& priorities);
};

// What is handed out at a time.
struct RunPiece {
  struct Item {
    std::string path;  // see KnownExecutions::path
    std::uint64_t priority = 0;
  };
  std::string context;
  std::uint64_t limit = 0;  // what has a lower priority has to wait for others
  std::uint64_t most = most_executions;
  std::vector<Item> items;

  static constexpr std::uint64_t most_executions = 256;

  std::string to_bytes() const;
  static RunPiece from(std::string_view bytes);
};

// An execution of a piece: an item of it, or what another execution of the piece has found.
struct RunName {
  std::optional<std::uint32_t> item;
  // If it is no item: its finder by its number in the piece, from 0 on.
  KnownExecutions::Name found = {};
  bool is_guess = false;  // it may be that nobody asks for it

  std::string to_bytes(std::string_view report) const;
  // Returns what is behind it.
  std::string_view read(std::string_view bytes);
};

// What was handed out, and what has come back of it.
class RunsAhead {
 public:
  // It must outlive this.
  explicit RunsAhead(KnownExecutions& known) : known_(known) {}

  // --- As ExecutionPlan in capabilities.h ---

  std::optional<std::string> next_piece(std::uint64_t number, bool only_next,
                                        const std::string& context);
  std::vector<std::uint64_t> came_back(std::uint64_t number, std::span<const std::string> runs,
                                       std::uint64_t first);
  std::optional<std::uint64_t> turn() const;
  std::string piece_of_turn(const std::string& context) const;
  bool is_awaited(std::uint64_t number) const { return pieces_.count(number) != 0; }
  std::vector<std::uint64_t> take_useless() { return std::exchange(useless_, {}); }
  std::uint64_t kept() const { return reports_.size(); }
  void run_again();

  // --- For the strategy ---

  // The report of the execution whose turn it is.
  std::string take_report();
  // What it has told is known, and the next one's turn has not come.
  void note_counted();
  // The next one's turn has come.
  void note_turn();
  // Nothing that was handed out is of use.
  void forget();

 private:
  // By where an execution differs from the one that has found it.
  struct Place {
    std::string before;       // see KnownExecutions::Name
    std::uint64_t run = 0;    // its number; 0: it has not come back
    std::uint64_t piece = 0;  // that it is in, until then
  };
  using Places = std::unordered_map<std::string, Place>;
  struct Run {
    std::string report;
    std::vector<std::string> found;  // places that were run as well
  };
  struct Piece {
    std::vector<std::string> places;                          // of its items
    std::vector<std::optional<KnownExecutions::Turn>> turns;  // likewise; none: its turn has come
  };

  static std::string place_of(const KnownExecutions::Name& name);
  bool needs(const KnownExecutions::Name& name) const;
  void add_item(RunPiece& piece, Piece& out, const KnownExecutions::Name& name,
                const std::string& path, std::optional<KnownExecutions::Turn> turn);
  void add_ahead(RunPiece& piece, Piece& out, std::size_t most, bool only_next);
  std::optional<KnownExecutions::Turn> next_ahead();
  void drop_place(const std::string& place);
  void drop_run(std::uint64_t number);
  void drop_old_guesses();

  KnownExecutions& known_;
  KnownExecutions::Name turn_ = known_.name();
  Places places_;
  std::unordered_map<std::uint64_t, Run> reports_;   // by number
  std::unordered_map<std::uint64_t, Piece> pieces_;  // that are out, by number
  std::set<KnownExecutions::Turn> unassigned_;       // of those ahead: in no piece
  std::vector<std::uint64_t> useless_;
  // What may never get a turn is kept for a while.
  struct Guess {
    std::uint64_t counted;  // executions by then
    std::string place;
    std::uint64_t run;
  };
  std::deque<Guess> guesses_;
  std::uint64_t counted_ = 0;
  double runs_of_item_ = 8;  // so many executions come from one, on average
};

}  // namespace ricercar::inline strategy
