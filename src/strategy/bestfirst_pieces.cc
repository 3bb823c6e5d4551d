#include "strategy/bestfirst_pieces.h"

#include <algorithm>

#include "base/bytes.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t most_items = 32;  // of a piece

constexpr std::uint64_t redundant = 1, at_limit = 2, reduced = 4, has_context = 8;

// Few different ones, again and again.
class FootprintWriter {
 public:
  void write(ByteWriter& writer, const Footprint& footprint) {
    const auto found = std::find(known_.begin(), known_.end(), footprint);
    writer.number(static_cast<std::uint64_t>(found - known_.begin()));
    if (found != known_.end()) return;
    footprint.write(writer);
    known_.push_back(footprint);
  }

 private:
  std::vector<Footprint> known_;
};

class FootprintReader {
 public:
  const Footprint& read(ByteReader& reader) {
    const std::uint64_t number = reader.number();
    if (number == known_.size()) known_.push_back(Footprint::read(reader));
    return known_[number];
  }

 private:
  std::vector<Footprint> known_;
};

void write(ByteWriter& writer, const FoundDecision& found, const Priorities& priorities,
           FootprintWriter& footprints, bool is_reduced) {
  writer.number(found.depth);
  writer.number(found.choice * 2U + (found.is_value ? 1U : 0U));
  priorities.write(writer, found.priority);
  if (priorities.go_by_order()) writer.plain(found.past);
  if (!is_reduced) return;
  footprints.write(writer, found.passed);
  writer.number(found.instead.size());
  for (const std::uint16_t task : found.instead) writer.number(task);
}

FoundDecision read_decision(ByteReader& reader, const Priorities& priorities,
                            FootprintReader& footprints, bool is_reduced) {
  FoundDecision found;
  found.depth = static_cast<std::uint32_t>(reader.number());
  const std::uint64_t choice = reader.number();
  found.choice = static_cast<std::uint16_t>(choice / 2);
  found.is_value = choice % 2 != 0;
  found.priority = priorities.read(reader);
  if (priorities.go_by_order()) found.past = reader.plain<std::uint64_t>();
  if (!is_reduced) return found;
  found.passed = footprints.read(reader);
  for (std::uint64_t left = reader.number(); left != 0; --left)
    found.instead.push_back(static_cast<std::uint16_t>(reader.number()));
  return found;
}

}  // namespace

std::string RunReport::to_bytes(const Priorities& priorities) const {
  ByteWriter writer;
  FootprintWriter footprints;
  writer.number((is_redundant ? redundant : 0) | (is_at_limit ? at_limit : 0) |
                (is_reduced ? reduced : 0) | (context ? has_context : 0));
  if (context) writer.text(*context);
  writer.plain(share);
  writer.number(detours.size());
  for (const auto& [depth, choice] : detours) {
    writer.number(depth);
    writer.number(choice);
  }
  writer.number(own.size());
  for (const Footprint& footprint : own) footprints.write(writer, footprint);
  writer.number(values);
  writer.number(found.size());
  for (const FoundDecision& each : found) write(writer, each, priorities, footprints, is_reduced);
  return writer.take();
}

RunReport RunReport::from(std::string_view bytes, const Priorities& priorities) {
  ByteReader reader(bytes);
  FootprintReader footprints;
  RunReport report;
  const std::uint64_t kind = reader.number();
  report.is_redundant = (kind & redundant) != 0;
  report.is_at_limit = (kind & at_limit) != 0;
  report.is_reduced = (kind & reduced) != 0;
  if ((kind & has_context) != 0) report.context = reader.text();
  report.share = reader.plain<double>();
  for (std::uint64_t left = reader.number(); left != 0; --left) {
    const auto depth = static_cast<std::uint32_t>(reader.number());
    report.detours.emplace_back(depth, static_cast<std::uint16_t>(reader.number()));
  }
  for (std::uint64_t left = reader.number(); left != 0; --left)
    report.own.push_back(footprints.read(reader));
  report.values = reader.number();
  report.found.resize(reader.number());
  for (FoundDecision& each : report.found)
    each = read_decision(reader, priorities, footprints, report.is_reduced);
  RICERCAR_CHECK(reader.at_end());
  return report;
}

std::string RunPiece::to_bytes() const {
  ByteWriter writer;
  writer.text(context);
  writer.plain(limit);
  writer.number(most);
  writer.number(items.size());
  for (const Item& item : items) {
    writer.text(item.path);
    writer.plain(item.priority);
  }
  return writer.take();
}

RunPiece RunPiece::from(std::string_view bytes) {
  ByteReader reader(bytes);
  RunPiece piece;
  piece.context = reader.text();
  piece.limit = reader.plain<std::uint64_t>();
  piece.most = reader.number();
  piece.items.resize(reader.number());
  for (Item& item : piece.items) {
    item.path = reader.text();
    item.priority = reader.plain<std::uint64_t>();
  }
  return piece;
}

std::string RunName::to_bytes(std::string_view report) const {
  ByteWriter writer;
  writer.number(item ? *item * std::uint64_t{2} + 1 : found.finder * 2);
  if (!item) {
    writer.text(found.place);
    writer.text(found.before);
    writer.number(is_guess ? 1 : 0);
  }
  writer.text(report);
  return writer.take();
}

std::string_view RunName::read(std::string_view bytes) {
  ByteReader reader(bytes);
  const std::uint64_t head = reader.number();
  if (head % 2 != 0) {
    item = static_cast<std::uint32_t>(head / 2);
  } else {
    found.finder = head / 2;
    found.place = reader.text();
    found.before = reader.text();
    is_guess = reader.number() != 0;
  }
  return reader.text();
}

// --- Handing out ---

std::string RunsAhead::place_of(const KnownExecutions::Name& name) {
  ByteWriter writer;
  writer.number(name.finder);
  return writer.take() + name.place;
}

// It was not run, and nobody runs it.
bool RunsAhead::needs(const KnownExecutions::Name& name) const {
  const auto place = places_.find(place_of(name));
  return place == places_.end() || place->second.before != name.before;
}

std::optional<std::string> RunsAhead::next_piece(std::uint64_t number, bool only_next,
                                                 const std::string& context) {
  RunPiece piece;
  Piece out;
  piece.context = context;
  if (needs(turn_)) add_item(piece, out, turn_, known_.path(), std::nullopt);
  const std::uint64_t fair = (known_.waiting() + unassigned_.size()) / 4 + 1;
  const auto enough = static_cast<std::uint64_t>(RunPiece::most_executions / runs_of_item_) + 1;
  add_ahead(piece, out, std::min({most_items, fair, enough}), only_next);
  if (piece.items.empty()) return std::nullopt;
  // Whatever is found and comes before all that waits elsewhere comes right after this.
  piece.limit = known_.next_priority();
  for (const std::string& place : out.places) places_[place].piece = number;
  pieces_.emplace(number, std::move(out));
  return piece.to_bytes();
}

// `only_next`: only those that come before all that were taken ahead.
void RunsAhead::add_ahead(RunPiece& piece, Piece& out, std::size_t most, bool only_next) {
  std::optional<KnownExecutions::Turn> end;
  if (only_next && !known_.ahead().empty()) end = known_.ahead().begin()->first;
  while (piece.items.size() < most) {
    if (end && !known_.comes_before(*end)) return;
    const std::optional<KnownExecutions::Turn> turn = next_ahead();
    if (!turn) return;
    const Fringe::Item& item = known_.ahead().at(*turn);
    // Who comes before it there has to be known: it gets its turn when that one had his.
    if (known_.has_to_wait(*turn, item)) continue;
    const KnownExecutions::Name name = known_.name_of(item);
    if (needs(name)) add_item(piece, out, name, known_.path_of(item), *turn);
  }
}

// The best one that is in no piece.
std::optional<KnownExecutions::Turn> RunsAhead::next_ahead() {
  const auto first = unassigned_.begin();
  const bool is_there = first != unassigned_.end();
  if (!is_there || known_.comes_before(*first)) {
    const auto taken = known_.take_ahead();
    if (taken != known_.ahead().end()) return taken->first;
  }
  if (!is_there) return std::nullopt;
  const KnownExecutions::Turn turn = *first;
  unassigned_.erase(first);
  return turn;
}

void RunsAhead::add_item(RunPiece& piece, Piece& out, const KnownExecutions::Name& name,
                         const std::string& path, std::optional<KnownExecutions::Turn> turn) {
  std::string place = place_of(name);
  drop_place(place);
  places_[place].before = name.before;
  piece.items.push_back({path, turn ? turn->priority : 0});
  out.places.push_back(std::move(place));
  out.turns.push_back(turn);
}

// --- What comes back ---

// Returns which of them are kept; the first one has the number `first`.
std::vector<std::uint64_t> RunsAhead::came_back(std::uint64_t number,
                                                std::span<const std::string> runs,
                                                std::uint64_t first) {
  const auto found = pieces_.find(number);
  if (found == pieces_.end()) return {};
  const Piece piece = std::move(found->second);
  pieces_.erase(found);
  std::vector<std::uint64_t> kept;
  for (std::uint64_t i = 0; i < runs.size(); ++i) {
    RunName name;
    const std::string_view report = name.read(runs[i]);
    std::string place;
    if (name.item) {
      place = piece.places[*name.item];
      const auto waits = places_.find(place);
      if (waits == places_.end() || waits->second.piece != number) continue;
    } else {
      const auto finder = reports_.find(first + name.found.finder);
      if (finder == reports_.end()) continue;  // that one was of no use
      name.found.finder += first;
      place = place_of(name.found);
      finder->second.found.push_back(place);
      drop_place(place);
      places_[place].before = name.found.before;
    }
    if (name.is_guess) guesses_.push_back({counted_, place, first + i});
    places_[place].run = first + i;
    places_[place].piece = 0;
    reports_[first + i].report = report;
    kept.push_back(first + i);
  }
  std::size_t items_left = 0;
  for (std::size_t i = 0; i < piece.places.size(); ++i) {
    const auto place = places_.find(piece.places[i]);
    if (place == places_.end() || place->second.piece != number) continue;
    places_.erase(place);
    ++items_left;
    if (piece.turns[i] && known_.ahead().count(*piece.turns[i]) != 0)
      unassigned_.insert(*piece.turns[i]);
  }
  const auto items_run = static_cast<double>(piece.places.size() - items_left);
  if (items_run > 0)
    runs_of_item_ += (static_cast<double>(runs.size()) / items_run - runs_of_item_) / 8;
  return kept;
}

std::optional<std::uint64_t> RunsAhead::turn() const {
  const auto place = places_.find(place_of(turn_));
  const bool is_here = place != places_.end() && place->second.before == turn_.before;
  if (!is_here || place->second.run == 0) return std::nullopt;
  return place->second.run;
}

std::string RunsAhead::piece_of_turn(const std::string& context) const {
  return RunPiece{context, 0, 1, {{known_.path(), 0}}}.to_bytes();
}

// What the one whose turn it is has shown is not enough.
void RunsAhead::run_again() { drop_place(place_of(turn_)); }

void RunsAhead::drop_place(const std::string& place) {
  const auto found = places_.find(place);
  if (found == places_.end()) return;
  const std::uint64_t run = found->second.run;
  places_.erase(found);
  if (run != 0) drop_run(run);
}

void RunsAhead::drop_run(std::uint64_t number) {
  const auto found = reports_.find(number);
  if (found == reports_.end()) return;
  const std::vector<std::string> places = std::move(found->second.found);
  reports_.erase(found);
  useless_.push_back(number);
  for (const std::string& place : places) drop_place(place);
}

// --- Counting ---

std::string RunsAhead::take_report() {
  const auto place = places_.find(place_of(turn_));
  const auto run = reports_.find(place->second.run);
  std::string report = std::move(run->second.report);
  reports_.erase(run);
  places_.erase(place);
  return report;
}

// Others at the same point sleep for it from now on, or know of it.
void RunsAhead::note_counted() {
  known_.for_each_sibling_ahead(
      [this](const KnownExecutions::Turn& turn) { unassigned_.insert(turn); });
}

void RunsAhead::drop_old_guesses() {
  constexpr std::uint64_t while_kept = 8192;  // executions
  while (!guesses_.empty() && guesses_.front().counted + while_kept < counted_) {
    const auto place = places_.find(guesses_.front().place);
    if (place != places_.end() && place->second.run == guesses_.front().run)
      drop_place(std::string(guesses_.front().place));
    guesses_.pop_front();
  }
}

void RunsAhead::note_turn() {
  ++counted_;
  drop_old_guesses();
  turn_ = known_.name();
  // It may have been taken ahead.
  while (!unassigned_.empty() && known_.ahead().count(*unassigned_.begin()) == 0)
    unassigned_.erase(unassigned_.begin());
}

void RunsAhead::forget() {
  for (const auto& [number, run] : reports_) useless_.push_back(number);
  reports_.clear();
  places_.clear();
  pieces_.clear();
  unassigned_.clear();
  for (const auto& [turn, item] : known_.ahead()) unassigned_.insert(turn);
}

}  // namespace ricercar::inline strategy
