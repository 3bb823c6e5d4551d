// The turns of a portfolio as several processes can share them. The first turns are taken one by
// one. After that there are rounds: in each of them every member takes its turns in a row, which is
// a piece of work. The turns of a round are known when the one before it begins, so a member that
// is done may begin with the next round while another one is still busy.
//
// How long rounds are, and whose turns they have, depends on what the executions have shown, and
// not on who runs them or when. Not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "strategy/portfolio_turns.h"

namespace ricercar::inline strategy {

// So many turns are taken one by one.
inline constexpr std::uint64_t first_portfolio_turns = 256;

// How many turns the round has that begins after so many executions.
constexpr std::uint64_t portfolio_round_size(std::uint64_t executions) {
  return std::clamp<std::uint64_t>(std::bit_floor(executions) / 4, 64, 4096);
}

// The turns of each member in a round. The first member comes last: it has most of them, and the
// others can go on with the next round meanwhile.
class PortfolioRound {
 public:
  PortfolioRound() = default;
  PortfolioRound(PortfolioTurns& turns, std::size_t members, std::uint64_t executions)
      : turns_(members, 0) {
    for (std::uint64_t left = portfolio_round_size(executions); left > 0; --left)
      ++turns_[turns.next()];
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(turns_, position_, left_);
  }

  // The one whose turns they are at present; false: the round is over.
  bool has_member() const { return position_ < turns_.size(); }
  std::size_t member() const { return (position_ + 1) % turns_.size(); }
  std::uint64_t turns_of_member() const { return turns_[member()]; }
  void skip_member() {
    ++position_;
    left_ = 0;
  }

  // A turn of the present member was taken; true: it was its first one.
  bool take_turn() {
    const bool is_first = left_ == 0;
    if (is_first) left_ = turns_of_member();
    if (--left_ == 0) ++position_;
    return is_first;
  }

 private:
  std::vector<std::uint64_t> turns_;
  std::size_t position_ = 0;
  std::uint64_t left_ = 0;  // turns of the present member; 0: it has not begun
};

// The rounds of one who runs all turns.
class PortfolioRounds {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(round_, next_);
  }

  // False: it has nothing left, and its turns are lost.
  template <typename IsLeft>
  std::size_t member(PortfolioTurns& turns, std::size_t members, std::uint64_t executions,
                     IsLeft is_left) {
    for (;;) {
      while (round_.has_member() && (round_.turns_of_member() == 0 || !is_left(round_.member()))) {
        round_.skip_member();
      }
      if (round_.has_member()) return round_.member();
      if (!next_) next_.emplace(turns, members, executions);
      round_ = std::exchange(*next_, PortfolioRound(turns, members, executions));
    }
  }
  bool take_turn() { return round_.take_turn(); }

 private:
  PortfolioRound round_;
  std::optional<PortfolioRound> next_;
};

// Of one who hands the turns out, and has them back in order.
class PortfolioHandOut {
 public:
  struct Part {
    std::size_t member;
    std::uint64_t turns;
  };

  explicit PortfolioHandOut(std::size_t members) : is_out_(members, 0) {}

  // The first turns are over.
  void begin(PortfolioTurns& turns, std::uint64_t executions) {
    rounds_.emplace_back(turns, is_out_.size(), executions);
    rounds_.emplace_back(turns, is_out_.size(), executions);
    out_.assign(rounds_.size(), 0);
  }

  // The next one in order; none: not before others are back.
  template <typename IsLeft>
  std::optional<Part> next(IsLeft is_left) {
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      if (!skip(rounds_[i], is_left)) continue;
      const Part part{rounds_[i].member(), rounds_[i].turns_of_member()};
      if (is_out_[part.member] != 0) return std::nullopt;
      rounds_[i].skip_member();
      ++out_[i];
      is_out_[part.member] = 1;
      return part;
    }
    return std::nullopt;
  }

  // All that is in this one and before it has been learned from.
  template <typename IsLeft>
  void bring_back(std::size_t member, PortfolioTurns& turns, std::uint64_t executions,
                  IsLeft is_left) {
    is_out_[member] = 0;
    if (out_.front() > 0) --out_.front();
    while (out_.front() == 0 && !skip(rounds_.front(), is_left)) {
      rounds_.erase(rounds_.begin());
      out_.erase(out_.begin());
      rounds_.emplace_back(turns, is_out_.size(), executions);
      out_.push_back(0);
    }
  }

 private:
  // To the next member that has turns and is waited for by nobody; false: there is none.
  template <typename IsLeft>
  bool skip(PortfolioRound& round, IsLeft is_left) {
    while (round.has_member()) {
      const bool has_turns = round.turns_of_member() != 0;
      if (has_turns && (is_out_[round.member()] != 0 || is_left(round.member()))) return true;
      round.skip_member();
    }
    return false;
  }

  std::vector<PortfolioRound> rounds_;  // the one that comes back, and the next one
  std::vector<std::uint64_t> out_;      // of each, pieces that are not back
  std::vector<std::uint8_t> is_out_;    // by member
};

}  // namespace ricercar::inline strategy
