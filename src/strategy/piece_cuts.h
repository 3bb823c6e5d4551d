// Where a reduction that searches depth first begins its pieces (HasPieces in capabilities.h). A
// piece ends when it has explored what is its own, or after a number of executions. Then its rest
// is cut at its uppermost level that has something planned: a piece is what is below the present
// decision there, and one what is below each of the others.
//
// One who searches everything has the same pieces as one who searches single ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/plain.h"

namespace ricercar::inline strategy {

class PieceCuts {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(cuts_), executions_, begins_piece_, is_first_piece_);
  }

  // From now on it is a single piece: the levels above `fenced` are not its own.
  void take(std::uint64_t fenced, bool is_first) {
    is_piece_ = true;
    is_fenced_ = false;
    fenced_ = fenced;
    begin();
    is_first_piece_ = is_first;
  }

  void end_execution() {
    begins_piece_ = false;
    ++executions_;
  }
  bool is_full() const { return executions_ >= most_executions; }
  bool begins_piece() const { return begins_piece_; }
  bool is_first_piece() const { return is_first_piece_; }
  bool is_piece() const { return is_piece_; }
  std::uint64_t fenced() const { return fenced_; }
  // All that is the piece's own is explored.
  bool is_fenced() const { return is_fenced_; }

  // The last level may take its next decision. One that is not the piece's own begins another one.
  bool may_move_on(std::size_t last) {
    if (is_piece_) {
      is_fenced_ = last < fenced_;
      return !is_fenced_;
    }
    if (cuts_.empty() || last > cuts_.back()) return true;
    while (!cuts_.empty() && cuts_.back() > last) cuts_.pop_back();
    begin();
    return true;
  }

  // Of one who searches everything: the piece is full. `is_open(i)`: something is planned at that
  // level.
  template <typename IsOpen>
  void cut(std::size_t levels, IsOpen is_open) {
    for (std::size_t i = cuts_.empty() ? 0 : cuts_.back() + 1; i + 1 < levels; ++i) {
      if (!is_open(i)) continue;
      cuts_.push_back(static_cast<std::uint32_t>(i));
      break;
    }
    begin();
  }

 private:
  static constexpr std::uint64_t most_executions = 256;

  void begin() {
    executions_ = 0;
    begins_piece_ = true;
    is_first_piece_ = false;
  }

  // Of one who searches everything: the levels whose other decisions begin pieces.
  std::vector<std::uint32_t> cuts_;
  std::uint64_t executions_ = 0;  // of this piece
  bool begins_piece_ = true;
  bool is_first_piece_ = true;
  // Of one who searches pieces: the levels whose other decisions are not its own.
  bool is_piece_ = false;
  bool is_fenced_ = false;  // it has come to them
  std::uint64_t fenced_ = 0;
};

}  // namespace ricercar::inline strategy
