// Samplers: strategies whose executions depend on the seed, their own number, and what was learned
// from others. So that several processes can take part with the same result, what is learned does
// not go from any execution to any later one: executions come in blocks. The first block teaches
// all others, and each of them goes on learning from there by itself. Who has to forget what was
// learned, because executions have other choice points now, is taught again by the next executions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "strategy/strategy.h"

namespace ricercar::inline strategy {

inline constexpr std::uint64_t first_sample_block = 64;

// How many executions the block has that begins with this one, of the first or a later block.
// Larger ones later: a slow program is shared out early, and a fast one is not disturbed often.
constexpr std::uint64_t sample_block_size(std::uint64_t start) {
  if (start < first_sample_block) return first_sample_block;
  return std::clamp<std::uint64_t>(std::bit_floor(start) / 8, 32, 1024);
}

constexpr bool is_sample_block_start(std::uint64_t number) {
  if (number < first_sample_block) return number == 0;
  return number % sample_block_size(number) == 0;
}

constexpr std::uint64_t sample_block_end(std::uint64_t number) {
  const std::uint64_t size = sample_block_size(number);
  return number / size * size + size;
}

// `Learned`: what is learned from executions, with save(ByteWriter&) and load(ByteReader&), and
// settle() when what teaches all others has ended.
template <typename Learned, typename... Offered>
class BlockSampler : public StrategyWith<CanRestart, HasPieces, Samples, CanBeKept, Offered...> {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(learned_, first_, next_, executions_, taught_at_, has_restarted_, begins_piece_);
  }

  bool begin() final {
    if (next_ == end_) return false;
    const bool is_block = is_sample_block_start(next_);
    begins_piece_ = std::exchange(has_restarted_, false) || is_block;
    if (is_block && next_ >= taught_at_ && !is_piece_) learned_ = first_;
    begin_sample(next_++);
    return true;
  }

  void restart() override {
    next_ = executions_;
    has_restarted_ = true;
  }

  void end(Trace trace, const Outcome&) final {
    ++executions_;
    end_sample(trace);
    if (!is_piece_) end_teaching();
  }

  // --- HasPieces ---

  bool begins_piece() const override { return begins_piece_; }
  bool is_first_piece() const override { return next_ <= first_sample_block; }

  void take(std::string_view piece) override {
    ByteReader reader(piece);
    is_piece_ = has_restarted_ = true;
    next_ = start_ = reader.number();
    end_ = reader.number();
    executions_ = 0;
    learned_ = {};
    learned_.load(reader);
  }

  std::uint64_t samples_before() const override { return start_; }

  PieceEnd give() override {
    ByteWriter writer;
    writer.number(executions_);
    learned_.save(writer);
    return {writer.take(), {}, next_ == end_};
  }

  std::optional<std::string> next_piece(std::uint64_t most) override {
    // In the middle of a block what was learned before it must be known, and while all others are
    // taught.
    const bool is_start = is_sample_block_start(next_) && executions_ >= taught_at_;
    if (!is_start && next_ != executions_) return std::nullopt;
    if (most != 0 && next_ >= most) return std::nullopt;
    const std::uint64_t end = sample_block_end(next_);
    ByteWriter writer;
    writer.number(next_);
    writer.number(most == 0 ? end : std::min(end, most));
    (is_start ? first_ : learned_).save(writer);
    next_ = end;
    return writer.take();
  }

  void merge(std::string_view shown) override {
    ByteReader reader(shown);
    executions_ += reader.number();
    learned_.load(reader);
    end_teaching();
  }

 protected:
  virtual void begin_sample(std::uint64_t number) = 0;
  virtual void end_sample(Trace trace) = 0;

  std::uint64_t executions() const { return executions_; }
  // What was learned does not hold any more.
  void teach_again() {
    learned_.forget();
    taught_at_ = sample_block_end(executions_);
    const bool is_enough = taught_at_ - executions_ >= first_sample_block / 2;
    if (!is_enough) taught_at_ = sample_block_end(taught_at_);
  }

  Learned learned_;

 private:
  void end_teaching() {
    if (executions_ != taught_at_) return;
    learned_.settle();
    first_ = learned_;
  }

  static constexpr std::uint64_t no_end = ~std::uint64_t{0};

  std::uint64_t next_ = 0;
  std::uint64_t start_ = 0;     // of the piece
  std::uint64_t end_ = no_end;  // likewise
  std::uint64_t executions_ = 0;
  std::uint64_t taught_at_ = first_sample_block;  // what was learned by then holds for all others
  bool is_piece_ = false;                         // it searches single pieces
  bool has_restarted_ = false;                    // with another piece, or with other points
  bool begins_piece_ = false;
  Learned first_;  // what teaches all others
};

}  // namespace ricercar::inline strategy
