// Samplers that go by all that was ever learned: a corpus of schedules that have shown something
// new (rff). So that several processes can take part with the same result, executions come in
// rounds. The first round is one piece, in which every execution learns from all before it. Each
// later one has several pieces, which begin with what was known at the end of the round before,
// learn by themselves, and do not know of each other; at the end of the round all that they have
// learned is put together, in their order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/kept.h"
#include "strategy/strategy.h"

namespace ricercar::inline strategy {

// Where the pieces of a round begin and end.
class SampleRound {
 public:
  static constexpr std::uint64_t first_size = 256;

  // The first one is in one piece, whenever it begins.
  static SampleRound first(std::uint64_t start) { return {start, first_size, 1}; }
  static SampleRound later(std::uint64_t start) {
    return {start, std::clamp<std::uint64_t>(std::bit_floor(start) / 16, 16, 1024), pieces};
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(start_, piece_, end_);
  }

  std::uint64_t end() const { return end_; }
  std::uint64_t piece_end(std::uint64_t start) const { return start + piece_; }
  bool is_piece_start(std::uint64_t number) const { return (number - start_) % piece_ == 0; }

 private:
  static constexpr std::uint64_t pieces = 8;

  SampleRound(std::uint64_t start, std::uint64_t piece, std::uint64_t count)
      : start_(start), piece_(piece), end_(start + piece * count) {}

  std::uint64_t start_;
  std::uint64_t piece_;
  std::uint64_t end_;
};

// `Learned`: what is learned from executions, with begin_piece(number), Added added(), which is
// what was learned since then, add(Added), and forget(), because points are others now.
template <typename Learned>
class RoundSampler : public StrategyWith<CanRestart, HasPieces, CanBeKept> {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(learned_, common_, added_, round_, next_, executions_, is_in_piece_, begins_piece_);
  }

  bool begin() final {
    if (next_ == end_) return false;
    begins_piece_ = is_piece_ ? executions_ == 0 : round_.is_piece_start(next_);
    if (begins_piece_ && !is_piece_) begin_piece();
    begin_sample(next_++);
    return true;
  }

  void end(Trace trace, const Outcome&) final {
    ++executions_;
    end_sample(trace);
    if (!is_piece_ && round_.is_piece_start(executions_)) end_piece();
  }

  void restart() final {
    if (is_in_piece_) end_piece();
    put_together();
    common_.forget();
    round_ = SampleRound::first(executions_);
    next_ = executions_;
  }

  // --- HasPieces ---

  bool begins_piece() const override { return begins_piece_; }
  bool is_first_piece() const override { return next_ <= SampleRound::first_size; }

  void take(std::string_view piece) override {
    KeptIn in({piece.data(), piece.size()});
    is_piece_ = true;
    executions_ = 0;
    in(next_, end_, learned_);
    learned_.begin_piece(next_);
  }

  PieceEnd give() override {
    KeptOut out;
    Added added = learned_.added();
    out(executions_, added);
    return {{out.bytes().data(), out.bytes().size()}, {}, next_ == end_};
  }

  std::optional<std::string> next_piece(std::uint64_t most) override {
    if (next_ == round_.end() || (most != 0 && next_ >= most)) return std::nullopt;
    std::uint64_t end = round_.piece_end(next_);
    if (most != 0) end = std::min(end, most);
    KeptOut out;
    out(next_, end, common_);
    next_ = end;
    return std::string(out.bytes().data(), out.bytes().size());
  }

  void merge(std::string_view shown) override {
    KeptIn in({shown.data(), shown.size()});
    std::uint64_t executions = 0;
    in(executions, added_.emplace_back());
    executions_ += executions;
    end_round();
  }

 protected:
  virtual void begin_sample(std::uint64_t number) = 0;
  virtual void end_sample(Trace trace) = 0;

  std::uint64_t executions() const { return executions_; }

  Learned learned_;

 private:
  using Added = typename Learned::Added;

  void begin_piece() {
    learned_ = common_;
    learned_.begin_piece(next_);
    is_in_piece_ = true;
  }
  void end_piece() {
    added_.push_back(learned_.added());
    is_in_piece_ = false;
    end_round();
  }
  void end_round() {
    if (executions_ != round_.end()) return;
    put_together();
    round_ = SampleRound::later(executions_);
  }
  void put_together() {
    for (Added& added : added_) common_.add(std::move(added));
    added_.clear();
  }

  static constexpr std::uint64_t no_end = ~std::uint64_t{0};

  Learned common_;            // what all pieces of this round begin with
  std::vector<Added> added_;  // by those that have ended
  SampleRound round_ = SampleRound::first(0);
  std::uint64_t next_ = 0;
  std::uint64_t end_ = no_end;  // of a single piece
  std::uint64_t executions_ = 0;
  bool is_piece_ = false;     // it searches single pieces
  bool is_in_piece_ = false;  // of one who searches everything
  bool begins_piece_ = false;
};

}  // namespace ricercar::inline strategy
