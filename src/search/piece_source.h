// Where the pieces of a search come from, and where what they have shown goes to, as the one sees
// it who has processes to search them: the whole search itself (search/piece_order.h), or what
// stands for it on another machine. Not thread-safe.
#pragma once

#include <cstdint>
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

}  // namespace ricercar::inline search
