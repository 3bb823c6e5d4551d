// A search that is cut into pieces (HasPieces in strategy/capabilities.h), as the one sees it who
// hands them out: which piece comes next, and what all of them have shown together. Results may
// come in any order; they count in the order of the pieces, and what one process would not have
// searched does not count: what comes after the first bug, or after the limit of executions, or was
// searched with fewer choice points than were known by then.
//
// It knows nothing of processes. Not thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/census.h"
#include "base/distinct.h"
#include "search/control.h"
#include "search/piece_source.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {

class PieceOrder final : public WholeSearch {
 public:
  // See make_whole_search.
  PieceOrder(Control& whole, MakeStrategy make_strategy, std::size_t most_ahead);

  std::optional<PieceTask> next() override;
  void done(std::uint64_t number, PieceResult result) override;
  void give_back(std::uint64_t number) override;
  bool is_dropped(std::uint64_t number) const override { return taken_.count(number) == 0; }

  void set_aside(std::uint64_t number) override;

  bool is_over() const override { return is_over_; }
  // Counts all that has come, whatever is missing between.
  void stop() override;
  void update() override;
  std::size_t taken() const override { return taken_.size(); }
  void let_wait(std::size_t most_ahead) override { most_ahead_ = most_ahead; }
  std::uint64_t executions_in_vain() const override { return executions_done_ - whole_.executions; }

 private:
  enum class State : std::uint8_t { waiting, taken, done, set_aside };
  struct Piece;
  using Pieces = std::list<Piece>;
  using OpenPieces = std::list<Pieces::iterator>;
  struct Piece {
    PieceTask task;
    State state;
    PieceResult result;
    OpenPieces::iterator open;  // of one that waits or is taken
  };

  HasPieces& plan() { return *strategy_->as<HasPieces>(); }
  bool add_next();
  bool may_wait() const { return pieces_.size() - open_.size() + taken_.size() < most_ahead_; }
  void add(Pieces::iterator before, OpenPieces::iterator open_before, PieceTask task);
  void add_front(PieceTask task) { add(pieces_.begin(), open_.begin(), std::move(task)); }
  PieceTask new_task(std::string piece);
  Pieces::iterator take_back(std::uint64_t number);
  void close(Pieces::iterator piece, State state);
  void remove_front();
  void find_front();
  bool can_merge_front();
  bool passes_front_over();
  void merge_all();
  void merge_front();
  bool exceeds_limit(const PieceResult& result) const;
  void search_front_again();
  void drop_all();
  void begin_anew(std::string knowledge);
  void add(const PieceResult& result);
  void end(Status status);
  std::uint64_t limit() const { return whole_.request.max_executions; }

  Control& whole_;
  const MakeStrategy make_strategy_;
  std::size_t most_ahead_;
  std::unique_ptr<Strategy> strategy_;
  Pieces pieces_;    // in order; the first one is not done
  OpenPieces open_;  // of these, those that wait or are taken, in the same order
  std::unordered_map<std::uint64_t, Pieces::iterator> taken_;  // by their numbers
  std::uint64_t next_number_ = 1;
  std::uint64_t executions_done_ = 0;
  std::string knowledge_;
  DistinctCounter traces_;
  Census sampled_;  // traces of a search that samples
  std::uint64_t set_aside_ = 0;
  bool is_last_ = false;  // there is nothing behind the last piece
  bool is_over_ = false;
};

}  // namespace ricercar::inline search
