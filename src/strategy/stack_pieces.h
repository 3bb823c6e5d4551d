// How a depth-first search with a DecisionStack is cut into pieces. A piece has a limited number of
// executions. When it has had them, the rest of it becomes up to three pieces: what is below the
// two uppermost points with options left, and what is left at each of these two.
//
// The pieces of one search are the same whether one strategy runs them one after the other, or many
// run one each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/plain.h"
#include "strategy/decision_stack.h"
#include "strategy/estimate.h"
#include "strategy/strategy.h"

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

// A depth-first search that keeps the decisions of one execution, alone or by pieces. Who derives
// from it decides, and says what it has shown besides the number of executions.
class StackSearch : public StrategyWith<ShowsProgress, HasPieces, CanBeKept> {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(stack_, executions_, finished_, pieces_);
  }

  bool begin() override {
    if (finished_) return false;
    stack_.rewind();
    if (is_piece_over_) return false;
    begins_piece_ = pieces_.begin();
    return true;
  }

  void end(Trace trace, const Outcome&) override {
    ++executions_;
    finished_ = !stack_.advance(trace.size());
    if (!finished_ && pieces_.advance(stack_)) is_piece_over_ = is_piece_;
  }

  // The estimate of the total is Knuth's (Mathematics of Computation 29, 1975) with the executions
  // so far as the probes, each weighted by its probability (Kilby et al., AAAI 2006).
  std::string progress() const override {
    if (finished_ || is_shared_out_) return "";
    return estimate_text(executions_, stack_.explored(), "executions");
  }

  // --- HasPieces ---

  bool begins_piece() const override { return begins_piece_; }
  bool is_first_piece() const override { return pieces_.is_first(); }
  void take(std::string_view piece) override {
    stack_.load(piece);
    pieces_.take(stack_);
    executions_ = 0;
    is_piece_ = true;
    is_piece_over_ = finished_ = false;
  }
  PieceEnd give() override {
    ByteWriter writer;
    writer.number(executions_);
    show(writer);
    return {writer.take(), is_piece_over_ ? pieces_.rest(stack_) : std::vector<std::string>(),
            finished_ || is_piece_over_};
  }
  std::optional<std::string> next_piece(std::uint64_t) override {
    if (std::exchange(is_shared_out_, true)) return std::nullopt;
    return stack_.save(0);
  }
  void merge(std::string_view shown) override {
    ByteReader reader(shown);
    executions_ += reader.number();
    learn(reader);
  }
  bool pass_over(std::string_view) override { return true; }
  void finish() override { finished_ = true; }

 protected:
  // What a piece has shown, and what one learns from it who has the whole.
  virtual void show(ByteWriter&) const {}
  virtual void learn(ByteReader&) {}

  DecisionStack stack_;
  std::uint64_t executions_ = 0;
  bool finished_ = false;

 private:
  StackPieces pieces_;
  bool begins_piece_ = false;
  bool is_piece_ = false;       // it searches single pieces
  bool is_piece_over_ = false;  // and this one before the end of its part
  bool is_shared_out_ = false;  // others search
};

}  // namespace ricercar::inline strategy
