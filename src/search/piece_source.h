// Where the pieces of a search come from, and where what they have shown goes to, as the one sees
// it who has processes to search them: the whole search itself (search/piece_order.h), or what
// stands for it on another machine. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "search/piece_result.h"

namespace ricercar::inline search {

// What somebody is to search.
struct PieceTask {
  std::uint64_t number = 0;  // of the piece; never used again
  std::uint64_t most = 0;    // executions; 0: no limit
  std::string piece;         // for HasPieces::take
  std::string knowledge;     // for World::adopt; empty: nothing is known yet
  std::string probes;        // for World::look_for, see ProbeTask
};

std::string to_bytes(const PieceTask& task);
PieceTask piece_task_from(std::string_view bytes);

class PieceSource {
 public:
  virtual ~PieceSource() = default;

  // The next one to be searched; none: not now, or it is over.
  virtual std::optional<PieceTask> next() = 0;
  // What became of it. Nothing is done if nobody wants to know any more.
  virtual void done(std::uint64_t number, PieceResult result) = 0;
  // Who had it is gone: somebody else has to search it.
  virtual void give_back(std::uint64_t number) = 0;
  // It is of no use to go on with it.
  virtual bool is_dropped(std::uint64_t number) const = 0;

  virtual bool is_over() const = 0;
  // Nobody searches any more.
  virtual void stop() = 0;
  // Coverage and the like are brought up to date.
  virtual void update() = 0;

  // Readable when look() has something to do; -1: nothing comes by itself.
  virtual int descriptor() const { return -1; }
  // Called several times a second, too.
  virtual void look() {}
};

// The whole search.
class WholeSearch : public PieceSource {
 public:
  // The piece ends every process that searches it: the search goes on without it as far as it can,
  // and is not complete.
  virtual void set_aside(std::uint64_t number) = 0;
  // How many have been handed out, and are not back.
  virtual std::size_t taken() const = 0;
  // From now on the results of so many pieces may wait for an earlier one.
  virtual void let_wait(std::size_t most_ahead) = 0;
  // Executions that were searched ahead and are no part of the result.
  virtual std::uint64_t executions_in_vain() const = 0;
};

using MakeStrategy = std::function<std::unique_ptr<Strategy>()>;

// That of the strategy, which has to offer HasPieces. The result is in `whole`, whose request says
// what is asked for; of so many pieces the results may wait for an earlier one.
std::unique_ptr<WholeSearch> make_whole_search(Control& whole, MakeStrategy make_strategy,
                                               std::size_t most_ahead);

}  // namespace ricercar::inline search
