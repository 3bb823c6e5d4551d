#include "search/piece_order.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "search/coverage_text.h"
#include "search/run_order.h"

namespace ricercar::inline search {

std::string to_bytes(const PieceTask& task) {
  ByteWriter writer;
  writer.number(task.number);
  writer.number(task.most);
  writer.text(task.piece);
  writer.text(task.knowledge);
  writer.text(task.probes);
  return writer.take();
}

PieceTask piece_task_from(std::string_view bytes) {
  ByteReader reader(bytes);
  PieceTask task;
  task.number = reader.number();
  task.most = reader.number();
  task.piece = reader.text();
  task.knowledge = reader.text();
  task.probes = reader.text();
  return task;
}

std::unique_ptr<WholeSearch> make_whole_search(Control& whole, MakeStrategy make_strategy,
                                               std::size_t most_ahead) {
  if (make_strategy()->as<HasPieces>()->execution_plan() != nullptr)
    return std::make_unique<RunOrder>(whole, std::move(make_strategy), most_ahead);
  return std::make_unique<PieceOrder>(whole, std::move(make_strategy), most_ahead);
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
  const auto is_waiting = [](Pieces::iterator piece) { return piece->state == State::waiting; };
  auto open = std::find_if(open_.begin(), open_.end(), is_waiting);
  const bool is_front = open != open_.end() && *open == pieces_.begin();
  if (!is_front && !may_wait()) return std::nullopt;
  if (open == open_.end()) {
    if (!add_next()) return std::nullopt;
    open = std::prev(open_.end());
  }
  const Pieces::iterator piece = *open;
  piece->state = State::taken;
  taken_[piece->task.number] = piece;
  return piece->task;
}

// False: there is none, or not yet.
bool PieceOrder::add_next() {
  if (is_last_) return false;
  std::optional<std::string> next = plan().next_piece(limit());
  if (!next) return false;
  add(pieces_.end(), open_.end(), new_task(std::move(*next)));
  return true;
}

PieceTask PieceOrder::new_task(std::string piece) {
  const std::uint64_t most = limit() == 0 ? 0 : limit() - whole_.executions;
  return {next_number_++, most, std::move(piece), knowledge_, {}};
}

void PieceOrder::add(Pieces::iterator before, OpenPieces::iterator open_before, PieceTask task) {
  const auto piece = pieces_.insert(before, {std::move(task), State::waiting, {}, {}});
  piece->open = open_.insert(open_before, piece);
}

// Of one that nobody searches any more; the end if it was not taken, or is of no use by now.
PieceOrder::Pieces::iterator PieceOrder::take_back(std::uint64_t number) {
  const auto taken = taken_.find(number);
  if (taken == taken_.end()) return pieces_.end();
  const Pieces::iterator piece = taken->second;
  taken_.erase(taken);
  return piece;
}

void PieceOrder::give_back(std::uint64_t number) {
  const auto piece = take_back(number);
  if (piece != pieces_.end()) piece->state = State::waiting;
}

// --- Results ---

void PieceOrder::close(Pieces::iterator piece, State state) {
  open_.erase(piece->open);
  piece->state = state;
}

void PieceOrder::done(std::uint64_t number, PieceResult result) {
  executions_done_ += result.figures.executions;
  const auto piece = take_back(number);
  if (piece == pieces_.end()) return;
  const auto after = std::next(piece);
  const auto open_after = std::next(piece->open);
  for (std::string& rest : result.end.rest)
    add(after, open_after, {next_number_++, piece->task.most, std::move(rest), knowledge_, {}});
  close(piece, State::done);
  piece->result = std::move(result);
  merge_all();
}

void PieceOrder::set_aside(std::uint64_t number) {
  const auto piece = take_back(number);
  if (piece == pieces_.end()) return;
  close(piece, State::set_aside);
  ++set_aside_;
  merge_all();
}

void PieceOrder::remove_front() {
  const auto front = pieces_.begin();
  taken_.erase(front->task.number);
  if (front->state == State::waiting || front->state == State::taken) open_.erase(front->open);
  pieces_.pop_front();
}

// The first one of the pieces becomes the one that comes next.
void PieceOrder::find_front() {
  using Place = HasPieces::Place;
  while (!pieces_.empty()) {
    const Place place = plan().place_of(pieces_.front().task.piece);
    if (place == Place::next) return;
    if (place == Place::later) {
      add_front(new_task(std::move(*plan().next_piece(limit()))));
      return;
    }
    remove_front();
  }
}

bool PieceOrder::can_merge_front() {
  const Piece& front = pieces_.front();
  if (front.state != State::done || front.result.was_cut) return false;
  if (plan().is_right(front.task.piece, front.result.end.shown)) return true;
  remove_front();
  add_front(new_task(std::move(*plan().next_piece(limit()))));
  return false;
}

// False: it is to be searched, or nothing goes on without it.
bool PieceOrder::passes_front_over() {
  if (pieces_.front().state != State::set_aside) return false;
  if (!plan().pass_over(pieces_.front().task.piece)) {
    stop();
    return false;
  }
  remove_front();
  return true;
}

void PieceOrder::merge_all() {
  while (!is_over_ && !pieces_.empty()) {
    if (passes_front_over()) continue;
    if (is_over_ || !can_merge_front()) break;
    merge_front();
  }
  if (is_over_ || !pieces_.empty() || add_next()) return;
  if (set_aside_ == 0) plan().finish();
  end(set_aside_ == 0 ? Status::finished : Status::stopped);
}

void PieceOrder::merge_front() {
  if (exceeds_limit(pieces_.front().result)) return search_front_again();
  PieceResult result = std::move(pieces_.front().result);
  remove_front();
  add(result);
  find_front();
  if (result.has_failed) return end(Status::failed);
  if (plan().is_over()) return end(Status::finished);
  const bool has_learned = result.knowledge.has_value();
  if (has_learned) begin_anew(std::move(*result.knowledge));
  const bool is_at_limit = limit() != 0 && whole_.executions >= limit();
  if (!result.found_end && !is_at_limit) return;
  // The last execution may have been the last one there is.
  const bool may_be_all = result.end.is_done && !has_learned && pieces_.empty();
  if (may_be_all && set_aside_ == 0 && !add_next()) plan().finish();
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
  add_front(std::move(task));
  is_last_ = true;
}

void PieceOrder::drop_all() {
  pieces_.clear();
  open_.clear();
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
    if (plan().place_of(piece.task.piece) != HasPieces::Place::next) break;
    add(piece.result);
    has_failed = has_failed || piece.result.has_failed;
    if (piece.result.found_end || has_failed) break;
  }
  end(has_failed ? Status::failed : Status::stopped);
}

void PieceOrder::update() {
  describe_coverage(whole_, *strategy_);
  whole_.complete = whole_.complete && set_aside_ == 0;
  if (whole_.request.count_traces) whole_.distinct_traces = traces_.estimate();
  note_samples(whole_, sampled_);
}

}  // namespace ricercar::inline search
