// How a search by bpor is cut into pieces: piece_cuts.h says where.
//
// What is explored below a decision depends on nothing but the decisions that led there, and so
// what it asks for above does. A piece that was searched ahead is as good as one that was searched
// in its turn, whatever was asked for meanwhile; only if blocks of the heap have become contended
// since, it is searched again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/kept.h"
#include "base/plain.h"
#include "strategy/capabilities.h"
#include "strategy/decision_points.h"

namespace ricercar::inline strategy {

struct BporLevel : DecisionPoint {
  static constexpr std::uint64_t bit(std::uint32_t task) { return std::uint64_t{1} << task; }

  std::uint64_t wanted = 0;  // tasks that are to be explored
  std::uint64_t done = 0;

  bool is_open() const { return !is_value && (wanted & ~done) != 0; }
  // The next decision there; false: there is none. `beyond`: the bound does not allow one.
  bool move_on(std::uint64_t bound, bool& beyond) {
    if (is_value) return ++chosen < options;
    for (std::uint64_t rest = wanted & ~done; rest != 0; rest &= rest - 1) {
      const auto task = static_cast<std::uint16_t>(std::countr_zero(rest));
      done |= bit(task);
      chosen = task;
      if (preemptions_with(task) <= bound) return true;
      beyond = true;
    }
    return false;
  }
};

// A search between two executions, written down.
struct BporPiece {
  struct Level {
    BporLevel point = {};
    std::uint32_t slot_start = 0;  // where the slot begins that a value belongs to

    std::uint32_t branch_step() const { return point.is_value ? slot_start : point.step; }
  };

  std::vector<Level> levels;
  std::uint64_t branch_step = 0;         // the trace is a new one from here on
  std::vector<std::uint64_t> contended;  // see ContendedBlocks
  std::uint64_t fenced = 0;              // levels that are not its own
  bool is_explored = false;              // all that is its own

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(levels), branch_step, plain(contended), fenced, is_explored);
  }

  std::string to_bytes() {
    KeptOut out;
    out(*this);
    return {out.bytes().begin(), out.bytes().end()};
  }
  static BporPiece from(std::string_view bytes) {
    KeptIn in({bytes.data(), bytes.size()});
    BporPiece piece;
    in(piece);
    return piece;
  }

  // The uppermost level behind the fence, but the last one, with something planned.
  std::optional<std::uint32_t> open_level() const {
    for (std::uint64_t i = fenced; i + 1 < levels.size(); ++i) {
      if (levels[i].point.is_open()) return static_cast<std::uint32_t>(i);
    }
    return std::nullopt;
  }

  // What is left, in order, if it is cut there.
  std::vector<BporPiece> rest(std::uint64_t bound) const {
    std::vector<BporPiece> result = {*this};
    const std::optional<std::uint32_t> level = open_level();
    if (!level) return result;
    result.front().fenced = *level + 1;
    BporPiece other = result.front();
    other.levels.resize(*level + 1);
    other.branch_step = levels[*level].branch_step();
    for (bool beyond = false; other.levels.back().point.move_on(bound, beyond);)
      result.push_back(other);
    return result;
  }
};

// The whole search, as far as pieces have been merged.
class BporPlan {
 public:
  explicit BporPlan(std::uint64_t bound) : bound_(bound) {}

  // The next piece, unless it was handed out; none: all is explored.
  std::optional<std::string> next() {
    if (is_over_ || std::exchange(is_out_, true)) return std::nullopt;
    return now_.to_bytes();
  }

  HasPieces::Place place_of(std::string_view bytes) {
    using Place = HasPieces::Place;
    if (is_over_) return Place::nowhere;
    const BporPiece piece = BporPiece::from(bytes);
    const std::size_t common = std::min(piece.levels.size(), now_.levels.size());
    for (std::size_t i = 0; i < common; ++i) {
      const BporLevel& then = piece.levels[i].point;
      const BporLevel& now = now_.levels[i].point;
      if (then.step != now.step) return Place::nowhere;
      if (then.chosen != now.chosen) return comes(then, now) ? Place::later : Place::nowhere;
      const bool is_same = then.wanted == now.wanted && then.done == now.done;
      if (i >= piece.fenced && !is_same) return Place::nowhere;
    }
    const bool is_next = piece.levels.size() == now_.levels.size() && piece.fenced == now_.fenced &&
                         piece.contended == now_.contended;
    if (is_next) is_out_ = true;
    return is_next ? Place::next : Place::nowhere;
  }

  // Goes on behind the next piece. What it has asked for above comes to what others have.
  void add(std::string_view end) {
    BporPiece after = BporPiece::from(end);
    for (std::uint64_t i = 0; i < now_.fenced; ++i) {
      const std::uint64_t wanted = after.levels[i].point.wanted;
      after.levels[i] = now_.levels[i];
      after.levels[i].point.wanted |= wanted;
    }
    after.fenced = now_.fenced;
    now_ = std::move(after);
    is_out_ = false;
    if (now_.is_explored) return move_on();
    if (const std::optional<std::uint32_t> level = now_.open_level()) {
      cuts_.push_back(*level);
      now_.fenced = *level + 1;
    }
  }

  // There was something that the bound does not allow.
  bool is_beyond() const { return is_beyond_; }

 private:
  // The decision is still to come at its level.
  static bool comes(const BporLevel& then, const BporLevel& now) {
    return then.is_value ? then.chosen > now.chosen : (now.done & BporLevel::bit(then.chosen)) == 0;
  }

  // The last of the fenced levels takes its next decision, or one above.
  void move_on() {
    now_.is_explored = false;
    while (!now_.levels.empty()) {
      const auto last = static_cast<std::uint32_t>(now_.levels.size() - 1);
      while (!cuts_.empty() && cuts_.back() > last) cuts_.pop_back();
      now_.fenced = cuts_.empty() ? 0 : cuts_.back() + 1;
      now_.branch_step = now_.levels.back().branch_step();
      if (now_.levels.back().point.move_on(bound_, is_beyond_)) return;
      now_.levels.pop_back();
    }
    is_over_ = true;
  }

  const std::uint64_t bound_;
  BporPiece now_;  // where one process would be
  std::vector<std::uint32_t> cuts_;
  bool is_out_ = false;  // the next one is
  bool is_over_ = false;
  bool is_beyond_ = false;
};

}  // namespace ricercar::inline strategy
