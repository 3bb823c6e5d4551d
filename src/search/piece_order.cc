#include "search/piece_order.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "search/coverage_text.h"

namespace ricercar::inline search {

std::string to_bytes(const PieceTask& task) {
  ByteWriter writer;
  writer.number(task.number);
  writer.number(task.most);
  writer.text(task.piece);
  writer.text(task.knowledge);
  return writer.take();
}

PieceTask piece_task_from(std::string_view bytes) {
  ByteReader reader(bytes);
  PieceTask task;
  task.number = reader.number();
  task.most = reader.number();
  task.piece = reader.text();
  task.knowledge = reader.text();
  return task;
}

PieceOrder::PieceOrder(Control& whole, MakeStrategy make_strategy, std::size_t most_ahead)
    : whole_(whole),
      make_strategy_(std::move(make_strategy)),
      most_ahead_(most_ahead),
      strategy_(make_strategy_()) {
  RICERCAR_CHECK(strategy_->as<HasPieces>() != nullptr);
  whole_.status = Status::running;
}

// --- Handing out ---

std::optional<PieceTask> PieceOrder::next() {
  if (is_over_) return std::nullopt;
  const auto is_waiting = [](const Piece& piece) { return piece.state == State::waiting; };
  auto piece = std::find_if(pieces_.begin(), pieces_.end(), is_waiting);
  const auto ahead = static_cast<std::size_t>(std::distance(pieces_.begin(), piece));
  if (ahead >= most_ahead_) return std::nullopt;
  if (piece == pieces_.end()) {
    if (!add_next()) return std::nullopt;
    piece = std::prev(pieces_.end());
  }
  piece->state = State::taken;
  taken_.insert(piece->task.number);
  return piece->task;
}

// False: there is none, or not yet.
bool PieceOrder::add_next() {
  if (is_last_) return false;
  std::optional<std::string> next = plan().next_piece(limit());
  if (!next) return false;
  const std::uint64_t most = limit() == 0 ? 0 : limit() - whole_.executions;
  pieces_.push_back({{next_number_++, most, std::move(*next), knowledge_}, State::waiting, {}});
  return true;
}

void PieceOrder::give_back(std::uint64_t number) {
  if (taken_.erase(number) == 0) return;
  for (Piece& piece : pieces_) {
    if (piece.task.number == number) piece.state = State::waiting;
  }
}

// --- Results ---

void PieceOrder::done(std::uint64_t number, PieceResult result) {
  if (taken_.erase(number) == 0) return;
  const auto piece = std::find_if(pieces_.begin(), pieces_.end(), [number](const Piece& each) {
    return each.task.number == number;
  });
  RICERCAR_CHECK(piece != pieces_.end());
  const std::uint64_t most = piece->task.most;
  const auto after = std::next(piece);
  for (std::string& rest : result.end.rest) {
    pieces_.insert(after,
                   {{next_number_++, most, std::move(rest), knowledge_}, State::waiting, {}});
  }
  piece->state = State::done;
  piece->result = std::move(result);
  merge_all();
}

void PieceOrder::merge_all() {
  const auto can_merge = [this] {
    const Piece& front = pieces_.front();
    return front.state == State::done && !front.result.was_cut;
  };
  while (!is_over_ && !pieces_.empty() && can_merge()) merge_front();
  if (is_over_ || !pieces_.empty() || add_next()) return;
  plan().finish();
  end(Status::finished);
}

void PieceOrder::merge_front() {
  if (exceeds_limit(pieces_.front().result)) return search_front_again();
  PieceResult result = std::move(pieces_.front().result);
  pieces_.pop_front();
  add(result);
  if (result.has_failed) return end(Status::failed);
  if (plan().is_over()) return end(Status::finished);
  const bool has_learned = result.knowledge.has_value();
  if (has_learned) begin_anew(std::move(*result.knowledge));
  const bool is_at_limit = limit() != 0 && whole_.executions >= limit();
  if (!result.found_end && !is_at_limit) return;
  // The last execution may have been the last one there is.
  const bool may_be_all = result.end.is_done && !has_learned && pieces_.empty();
  if (may_be_all && !add_next()) plan().finish();
  end(Status::stopped);
}

bool PieceOrder::exceeds_limit(const PieceResult& result) const {
  return limit() != 0 && whole_.executions + result.figures.executions > limit();
}

// A part of it is wanted, and what that part shows is not known.
void PieceOrder::search_front_again() {
  PieceTask task = std::move(pieces_.front().task);
  drop_all();
  task.number = next_number_++;
  task.most = limit() - whole_.executions;
  pieces_.push_back({std::move(task), State::waiting, {}});
  is_last_ = true;
}

void PieceOrder::drop_all() {
  pieces_.clear();
  taken_.clear();
}

// Executions have more choice points now: what was searched behind this one had too few.
void PieceOrder::begin_anew(std::string knowledge) {
  knowledge_ = std::move(knowledge);
  drop_all();
  is_last_ = false;
  if (auto* can = strategy_->as<CanRestart>()) return can->restart();
  strategy_ = make_strategy_();
}

void PieceOrder::add(const PieceResult& result) {
  plan().merge(result.end.shown);
  merge_piece(whole_, result);
  if (result.traces) traces_.add(*result.traces);
  for (const std::uint64_t hash : result.sampled) sampled_.add(hash);
}

// --- The end ---

void PieceOrder::end(Status status) {
  is_over_ = true;
  drop_all();
  update();
  whole_.status = status;
}

void PieceOrder::stop() {
  if (is_over_) return;
  bool has_failed = false;
  for (const Piece& piece : pieces_) {
    if (piece.state != State::done || exceeds_limit(piece.result)) continue;
    add(piece.result);
    has_failed = has_failed || piece.result.has_failed;
    if (piece.result.found_end || has_failed) break;
  }
  end(has_failed ? Status::failed : Status::stopped);
}

void PieceOrder::update() {
  describe_coverage(whole_, *strategy_);
  if (whole_.request.count_traces) whole_.distinct_traces = traces_.estimate();
  note_samples(whole_, sampled_);
}

}  // namespace ricercar::inline search
