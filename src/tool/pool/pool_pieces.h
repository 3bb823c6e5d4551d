// The pieces of a search that is in a pool, as a worker sees them: what stands for PieceOrder on
// another machine. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "pool/worker_link.h"
#include "search/control.h"
#include "search/piece_source.h"

namespace ricercar::inline pool {

class PoolPieces final : public PieceSource {
 public:
  // What is searched here is counted in `here`. `jobs`: processes that ask for pieces.
  PoolPieces(WorkerLink& link, Control& here, std::uint32_t jobs)
      : link_(link), here_(here), jobs_(jobs) {}

  std::optional<PieceTask> next() override;
  void done(std::uint64_t number, PieceResult result) override;
  void give_back(std::uint64_t number) override;
  bool is_dropped(std::uint64_t number) const override { return searched_.count(number) == 0; }

  bool is_over() const override { return link_.is_over(); }
  void stop() override;
  void update() override {}
  int descriptor() const override { return link_.descriptor(); }
  void look() override;

  std::uint64_t pieces_done() const { return pieces_done_; }

 private:
  struct Searched {
    PoolItem item;
    double since;
  };

  std::size_t wanted() const;
  std::vector<std::string> held() const;
  void require_same_place(std::uint64_t runtime_address, const PoolItem& item);
  void drop(const std::vector<std::string>& entries);

  WorkerLink& link_;
  Control& here_;
  const std::uint32_t jobs_;
  std::deque<PoolItem> waiting_;
  std::map<std::uint64_t, Searched> searched_;  // by number
  std::uint64_t pieces_done_ = 0;
  double seconds_of_piece_ = 1;  // about
  std::uint64_t runtime_address_ = 0;
};

}  // namespace ricercar::inline pool
