// A search that is cut into pieces (HasPieces in strategy/capabilities.h), as the one sees it who
// hands them out: which piece comes next, and what all of them have shown together. Results may
// come in any order; they count in the order of the pieces, and what one process would not have
// searched does not count: what comes after the first bug, or after the limit of executions, or was
// searched with fewer choice points than were known by then.
//
// It knows nothing of processes. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/census.h"
#include "base/distinct.h"
#include "search/control.h"
#include "search/piece_result.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {

// What somebody is to search.
struct PieceTask {
  std::uint64_t number = 0;  // of the piece; never used again
  std::uint64_t most = 0;    // executions; 0: no limit
  std::string piece;         // for HasPieces::take
  std::string knowledge;     // for World::adopt; empty: nothing is known yet
};

std::string to_bytes(const PieceTask& task);
PieceTask piece_task_from(std::string_view bytes);

class PieceOrder {
 public:
  using MakeStrategy = std::function<std::unique_ptr<Strategy>()>;

  // The strategy has to offer HasPieces. The result is in `whole`, whose request says what is
  // asked for; `most_ahead` pieces may wait for one before them.
  PieceOrder(Control& whole, MakeStrategy make_strategy, std::size_t most_ahead);

  // The next one to be searched; none: not now, or it is over.
  std::optional<PieceTask> next();
  // What became of it. Nothing is done if nobody wants to know any more.
  void done(std::uint64_t number, PieceResult result);
  // Who had it is gone: somebody else has to search it.
  void give_back(std::uint64_t number);
  // It is of no use to go on with it.
  bool is_dropped(std::uint64_t number) const { return taken_.count(number) == 0; }

  bool is_over() const { return is_over_; }
  // Nobody searches any more: counts all that has come, whatever is missing between.
  void stop();
  // Coverage and the like are brought up to date.
  void update();

 private:
  enum class State : std::uint8_t { waiting, taken, done };
  struct Piece {
    PieceTask task;
    State state = State::waiting;
    PieceResult result;
  };
  using Pieces = std::list<Piece>;

  HasPieces& plan() { return *strategy_->as<HasPieces>(); }
  bool add_next();
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
  const std::size_t most_ahead_;
  std::unique_ptr<Strategy> strategy_;
  Pieces pieces_;                  // in order; the first one is not done
  std::set<std::uint64_t> taken_;  // numbers
  std::uint64_t next_number_ = 1;
  std::string knowledge_;
  DistinctCounter traces_;
  Census sampled_;        // traces of a search that samples
  bool is_last_ = false;  // there is nothing behind the last piece
  bool is_over_ = false;
};

}  // namespace ricercar::inline search
