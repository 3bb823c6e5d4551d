// How a depth-first search with a DecisionStack is cut into pieces. A piece has a limited number of
// executions. When it has had them, the rest of it becomes up to three pieces: what is below the
// two uppermost points with options left, and what is left at each of these two.
//
// The pieces of one search are the same whether one strategy runs them one after the other, or many
// run one each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/plain.h"
#include "strategy/decision_stack.h"

namespace ricercar::inline strategy {

class StackPieces {
 public:
  static constexpr std::uint64_t most_executions = 256;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(cuts_), executions_, is_first_);
  }

  // Asked once before each execution: it is the first one of a piece.
  bool begin() {
    const bool begins = executions_ == 0;
    ++executions_;
    return begins;
  }

  // The stack has moved on to the next execution. True: the piece is over.
  bool advance(const DecisionStack& stack) {
    if (!cuts_.empty() && stack.size() - 1 == cuts_.back()) {
      cuts_.pop_back();
      begin_next();
      return true;
    }
    if (executions_ < most_executions) return false;
    cut(stack);
    begin_next();
    return true;
  }

  // A single piece is over, and was not the last of its part: what is left of it, in order.
  std::vector<std::string> rest(const DecisionStack& stack) const {
    std::vector<std::string> pieces = {stack.save(cuts_.empty() ? 0 : cuts_.back() + 1)};
    for (std::size_t i = cuts_.size(); i > 0; --i)
      pieces.push_back(stack.save_from_level(cuts_[i - 1]));
    return pieces;
  }

  // A single piece.
  void take(const DecisionStack& stack) {
    cuts_.clear();
    executions_ = 0;
    is_first_ = stack.size() == 0;
  }

  // The piece that the search began with.
  bool is_first() const { return is_first_; }

 private:
  static constexpr std::size_t most_cuts = 2;  // of a piece

  void begin_next() {
    executions_ = 0;
    is_first_ = false;
  }

  void cut(const DecisionStack& stack) {
    std::vector<std::size_t> open = stack.open_levels(cuts_.empty() ? 0 : cuts_.back() + 1);
    open.resize(std::min(open.size(), most_cuts));
    cuts_.insert(cuts_.end(), open.begin(), open.end());
  }

  std::vector<std::size_t> cuts_;  // levels whose other options are pieces of their own
  std::uint64_t executions_ = 0;   // of this piece
  bool is_first_ = true;
};

}  // namespace ricercar::inline strategy
