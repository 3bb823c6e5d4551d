// How a search by dpor is cut into pieces (HasPieces in capabilities.h).
//
// A piece is a search between two executions, written down: the decisions that led there, who
// sleeps and what is planned at each of them; and the levels whose other decisions are not its own.
// Where it ends, and how its rest is cut: strategy/piece_cuts.h.
//
// What is planned at a level may still grow when the search of an earlier piece meets races there,
// so a piece that was searched before all earlier ones are done is a guess. It was right if it
// began with what the search of one process comes to: the same decisions and sleepers, and the same
// plans, but those above what is its own may have grown since. Plans only ever grow behind what is
// there, so a sequence that was covered is covered still. If the piece has added to plans that have
// grown, it was wrong, and is searched again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/capabilities.h"
#include "strategy/decision_points.h"
#include "strategy/sleep_set.h"
#include "strategy/wakeup_tree.h"

namespace ricercar::inline strategy {

struct DporLevel : DecisionPoint {
  std::uint32_t tree = no_index;  // what is waiting here
  // The end of its part of all sleepers; it begins where the last one ends.
  std::uint32_t sleepers = 0;
  std::uint32_t done = 0;   // decisions that have been explored
  std::uint16_t first = 0;  // of the alternatives

  // Of the tasks from 64 on that is found out when their turn comes.
  bool may_choose(std::uint16_t task) const { return task >= 64 || ((enabled >> task) & 1) != 0; }
  // The alternative whose turn comes after the chosen one.
  std::uint16_t next_alternative() const {
    auto next = chosen == first ? std::uint16_t{0} : static_cast<std::uint16_t>(chosen + 1);
    return next == first ? static_cast<std::uint16_t>(next + 1) : next;
  }
};

// A wake-up tree by itself.
struct Planned {
  Footprint footprint;
  std::uint16_t choice = 0;
  bool is_value = false;
  std::vector<Planned> next;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(footprint), choice, is_value, next);
  }
  bool operator==(const Planned&) const = default;
};
using Plans = std::vector<Planned>;

Plans plans_of(const WakeupTrees& trees, std::uint32_t first);
// Returns the first one of them in `trees`.
std::uint32_t plant(WakeupTrees& trees, const Plans& plans);

// A level, with all that belongs to it.
struct PlannedLevel {
  DporLevel point = {};
  std::vector<std::uint16_t> others;  // see DecisionPoints
  std::vector<Sleeper> sleepers;
  Plans plans;
  Sleeper last = {};             // the slot that was chosen there last, as it will sleep
  std::uint32_t slot_start = 0;  // where the slot begins that a value belongs to

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(point), plain(others), plain(sleepers), plans, plain(last), slot_start);
  }

  bool is_open() const { return !point.is_value && !plans.empty(); }
  // The next decision there; false: there is none. `planned`: what is planned behind it.
  bool move_on(Plans& planned);
  // Where the trace of the next execution begins to be new.
  std::uint32_t branch_step() const { return point.is_value ? slot_start : point.step; }
};

struct DporPiece {
  std::vector<PlannedLevel> levels;
  Plans planned;                         // behind the last decision
  std::uint64_t branch_step = 0;         // the trace is a new one from here on
  std::vector<std::uint64_t> contended;  // see ContendedBlocks
  std::uint64_t fenced = 0;  // levels, from the top, whose other decisions are not its own
  bool is_explored = false;  // all that is its own; the last of the fenced levels is next

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(levels, planned, branch_step, contended, fenced, is_explored);
  }

  // The uppermost level behind the fence, but the last one, with something planned.
  std::optional<std::uint32_t> open_level() const;
  // What is left, in order, if it is cut there.
  std::vector<DporPiece> rest() const;
};

std::string to_bytes(const DporPiece& piece);
DporPiece dpor_piece_from(std::string_view bytes);

// The whole search, as far as pieces have been merged.
class DporPlan {
 public:
  // The next piece, unless it was handed out; none: all is explored.
  std::optional<std::string> next();
  HasPieces::Place place_of(std::string_view piece);
  // Nothing that the piece has relied on has changed since. Of the next piece.
  bool is_right(std::string_view piece, std::string_view end);
  // Goes on behind the piece, which is right.
  void add(std::string_view end);

 private:
  void move_on();

  DporPiece now_;  // where one process would be
  std::vector<std::uint32_t> cuts_;
  bool is_out_ = false;  // the next one is
  bool is_over_ = false;
};

}  // namespace ricercar::inline strategy
