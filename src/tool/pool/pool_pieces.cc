#include "pool/pool_pieces.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "pool/parcel.h"

namespace ricercar::inline pool {
namespace {

// Of shorter pieces the next one is fetched while one is searched; longer ones are left to those
// who have nothing to do.
constexpr double short_piece_seconds = 0.25;

}  // namespace

std::optional<PieceTask> PoolPieces::next() {
  if (waiting_.empty()) look();
  if (waiting_.empty()) return std::nullopt;
  PoolItem item = std::move(waiting_.front());
  waiting_.pop_front();
  PieceTask task = piece_task_from(from_parcel(item.parcel));
  item.parcel.clear();
  link_.begin(item);
  searched_[task.number] = {std::move(item), now_seconds()};
  return task;
}

void PoolPieces::done(std::uint64_t number, PieceResult result) {
  const auto found = searched_.find(number);
  if (found == searched_.end()) return;
  const Searched searched = std::move(found->second);
  searched_.erase(found);
  if (result.was_cut) return link_.release(searched.item, false);
  require_same_place(result.runtime_address, searched.item);
  const double seconds = now_seconds() - searched.since;
  seconds_of_piece_ += (seconds - seconds_of_piece_) / 8;
  ++pieces_done_;
  here_.executions += result.figures.executions;
  link_.complete(searched.item, to_parcel(to_bytes(result)));
}

// Addresses in the program are part of what pieces say.
void PoolPieces::require_same_place(std::uint64_t runtime_address, const PoolItem& item) {
  if (std::exchange(runtime_address_, runtime_address) == runtime_address) return;
  if (link_.agrees("runtime", std::to_string(runtime_address))) return;
  link_.release(item, false);
  stop();
  link_.flush();
  throw UsageError(
      "this machine loads the program at another place than the one that was the first to take "
      "part: its kernel or the limit of the stack (ulimit -s) is another one, and what it finds "
      "would not fit to what the others find");
}

void PoolPieces::give_back(std::uint64_t number) {
  const auto found = searched_.find(number);
  if (found == searched_.end()) return;
  link_.release(found->second.item, true);
  searched_.erase(found);
}

void PoolPieces::stop() {
  for (const PoolItem& item : waiting_) link_.release(item, false);
  for (const auto& [number, searched] : searched_) link_.release(searched.item, false);
  waiting_.clear();
  searched_.clear();
}

void PoolPieces::look() {
  const std::vector<std::string> before = held();
  std::vector<PoolItem> items = link_.exchange(wanted(), before);
  drop(link_.lost());
  for (PoolItem& item : items) {
    // One that was held for too long may have come back to us.
    const bool is_here = std::find(before.begin(), before.end(), item.entry) != before.end();
    if (!is_here) waiting_.push_back(std::move(item));
  }
}

std::size_t PoolPieces::wanted() const {
  const std::size_t ahead = seconds_of_piece_ < short_piece_seconds ? jobs_ : 0;
  const std::size_t here = searched_.size() + waiting_.size();
  return jobs_ + ahead - std::min<std::size_t>(here, jobs_ + ahead);
}

std::vector<std::string> PoolPieces::held() const {
  std::vector<std::string> entries;
  for (const auto& [number, searched] : searched_) entries.push_back(searched.item.entry);
  for (const PoolItem& item : waiting_) entries.push_back(item.entry);
  return entries;
}

void PoolPieces::drop(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    std::erase_if(waiting_, [&](const PoolItem& item) { return item.entry == entry; });
    std::erase_if(searched_, [&](const auto& each) { return each.second.item.entry == entry; });
  }
}

}  // namespace ricercar::inline pool
