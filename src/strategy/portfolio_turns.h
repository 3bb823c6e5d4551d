// Whose turn it is among the members of a portfolio. Everybody has a share of the turns. Half of it
// stays; the other half moves towards those whose executions still show something new, for the
// steps that they take: all of it determined by what the executions show, nothing by the clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/plain.h"

namespace ricercar::inline strategy {

class PortfolioTurns {
 public:
  // `shares`: of the turns, in any unit. The first member has so many turns before all others.
  explicit PortfolioTurns(std::span<const double> shares, std::uint64_t first_turns = 1)
      : first_turns_(first_turns) {
    for (const double share : shares) members_.push_back({share});
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(members_), turns_, first_turns_);
  }

  // Every turn pays each member its part of a turn, and the richest one takes the turn and pays for
  // the whole of it, so that the turns of each are spread evenly.
  std::size_t next() {
    weigh();
    if (first_turns_ > 0 && is_left(0)) {
      --first_turns_;
      return 0;
    }
    std::size_t richest = none;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].has_retired) continue;
      members_[i].credit += members_[i].weight;
      if (richest == none || members_[i].credit > members_[richest].credit) richest = i;
    }
    RICERCAR_CHECK(richest != none);
    members_[richest].credit -= 1;
    return richest;
  }

  // From now on; and nobody comes before all others any more.
  void set_shares(std::span<const double> shares) {
    RICERCAR_CHECK(shares.size() == members_.size());
    for (std::size_t i = 0; i < shares.size(); ++i) members_[i].share = shares[i];
    first_turns_ = 0;
  }

  // It has nothing left, and the others take its turns.
  void retire(std::size_t member) { members_[member].has_retired = true; }
  bool is_left(std::size_t member) const { return !members_[member].has_retired; }

  // What a turn has shown. What was long ago counts less and less.
  void learn(std::size_t member, std::uint64_t steps, bool is_new) {
    constexpr double memory = 63.0 / 64;
    Member& taken = members_[member];
    taken.shown = taken.shown * memory + (is_new ? 1 : 0);
    taken.steps = taken.steps * memory + static_cast<double>(steps) + 1;
    ++turns_;
  }

  // Its part of the turns at present; all of them are 1.
  double weight(std::size_t member) const { return members_[member].weight; }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::uint64_t trial = 200;  // turns before anything moves
  static constexpr double moving = 0.5;        // this part of them does then

  struct Member {
    double share = 0;
    double weight = 0;
    double credit = 0;
    double shown = 0;  // in so many steps
    double steps = 0;
    bool has_retired = false;

    double earned() const { return steps > 0 ? share * shown / steps : 0; }
  };

  template <typename Part>
  double sum_of(Part part) const {
    double sum = 0;
    for (const Member& member : members_) sum += member.has_retired ? 0 : part(member);
    return sum;
  }

  void weigh() {
    const double shares = sum_of([](const Member& member) { return member.share; });
    const double earned = sum_of([](const Member& member) { return member.earned(); });
    const double moved = turns_ >= trial && earned > 0 ? moving : 0;
    for (Member& member : members_) {
      member.weight = (1 - moved) * member.share / shares;
      if (moved > 0) member.weight += moved * member.earned() / earned;
    }
  }

  std::vector<Member> members_;
  std::uint64_t turns_ = 0;
  std::uint64_t first_turns_;  // that are left
};

}  // namespace ricercar::inline strategy
