#include "strategy/dpor_pieces.h"

#include <algorithm>
#include <utility>

#include "base/kept.h"

namespace ricercar::inline strategy {
namespace {

bool is_same(const Sleeper& a, const Sleeper& b) {
  return a.task == b.task && a.ends == b.ends && a.footprint == b.footprint;
}

bool is_same(const std::vector<Sleeper>& a, const std::vector<Sleeper>& b) {
  const auto same = [](const Sleeper& x, const Sleeper& y) { return is_same(x, y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// The decision has been taken at the same place, after the same others.
bool is_same_decision(const PlannedLevel& a, const PlannedLevel& b) {
  return a.point.done == b.point.done && a.point.chosen == b.point.chosen &&
         a.point.step == b.point.step && is_same(a.sleepers, b.sleepers);
}

// Nothing is between what was there.
bool has_grown_from(const Plans& now, const Plans& before) {
  if (now.size() < before.size()) return false;
  return std::equal(
      before.begin(), before.end(), now.begin(), [](const Planned& old, const Planned& same) {
        return old.choice == same.choice && old.is_value == same.is_value &&
               old.footprint == same.footprint && old.next.empty() == same.next.empty() &&
               has_grown_from(same.next, old.next);
      });
}

}  // namespace

Plans plans_of(const WakeupTrees& trees, std::uint32_t first) {
  Plans plans;
  for (std::uint32_t i = first; i != WakeupTrees::none; i = trees[i].next) {
    const WakeupTrees::Node& node = trees[i];
    plans.push_back({node.footprint, node.choice, node.is_value, plans_of(trees, node.children)});
  }
  return plans;
}

std::uint32_t plant(WakeupTrees& trees, const Plans& plans) {
  std::uint32_t first = WakeupTrees::none;
  for (const Planned& each : plans) {
    const std::uint32_t children = plant(trees, each.next);
    trees.adopt(trees.append(first, each.choice, each.is_value, each.footprint), children);
  }
  return first;
}

bool PlannedLevel::move_on(Plans& planned) {
  ++point.done;
  planned.clear();
  auto next = plans.begin();
  if (point.is_value) {
    if (point.done >= point.options) return false;
    point.chosen = point.next_alternative();
    next = std::find_if(plans.begin(), plans.end(), [this](const Planned& each) {
      return each.is_value && each.choice == point.chosen;
    });
    if (next == plans.end()) return true;
  } else {
    if (plans.empty()) return false;
    sleepers.push_back(last);
    point.chosen = next->choice;
    last = {next->choice, next->footprint};
  }
  planned = std::move(next->next);
  plans.erase(next);
  return true;
}

std::optional<std::uint32_t> DporPiece::open_level() const {
  for (std::uint64_t i = fenced; i + 1 < levels.size(); ++i) {
    if (levels[i].is_open()) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

// Of decisions that were not taken yet it is a guess what they will do.
std::vector<DporPiece> DporPiece::rest() const {
  std::vector<DporPiece> result = {*this};
  const std::optional<std::uint32_t> level = open_level();
  if (!level) return result;
  result.front().fenced = *level + 1;
  DporPiece other = result.front();
  other.levels.resize(*level + 1);
  other.branch_step = levels[*level].branch_step();
  while (other.levels.back().move_on(other.planned)) result.push_back(other);
  return result;
}

std::string to_bytes(const DporPiece& piece) {
  KeptOut out;
  out(const_cast<DporPiece&>(piece));
  return {out.bytes().begin(), out.bytes().end()};
}

DporPiece dpor_piece_from(std::string_view bytes) {
  KeptIn in({bytes.data(), bytes.size()});
  DporPiece piece;
  in(piece);
  return piece;
}

// --- The whole search ---

std::optional<std::string> DporPlan::next() {
  if (is_over_ || std::exchange(is_out_, true)) return std::nullopt;
  return to_bytes(now_);
}

HasPieces::Place DporPlan::place_of(std::string_view bytes) {
  using Place = HasPieces::Place;
  if (is_over_) return Place::nowhere;
  const DporPiece piece = dpor_piece_from(bytes);
  const std::size_t common = std::min(piece.levels.size(), now_.levels.size());
  for (std::size_t i = 0; i < common; ++i) {
    const PlannedLevel& then = piece.levels[i];
    const PlannedLevel& now = now_.levels[i];
    if (now.point.done < then.point.done) return Place::later;
    if (!is_same_decision(then, now)) return Place::nowhere;
    const bool is_its_own = i >= piece.fenced;
    if (!has_grown_from(now.plans, then.plans)) return Place::nowhere;
    if (is_its_own && now.plans != then.plans) return Place::nowhere;
  }
  const bool is_next = piece.levels.size() == now_.levels.size() && piece.fenced == now_.fenced &&
                       piece.planned == now_.planned && piece.contended == now_.contended;
  if (is_next) is_out_ = true;
  return is_next ? Place::next : Place::nowhere;
}

bool DporPlan::is_right(std::string_view bytes, std::string_view end) {
  const DporPiece before = dpor_piece_from(bytes);
  const DporPiece after = dpor_piece_from(end);
  for (std::uint64_t i = 0; i < before.fenced; ++i) {
    const Plans& then = before.levels[i].plans;
    if (after.levels[i].plans != then && now_.levels[i].plans != then) is_out_ = false;
  }
  return is_out_;
}

void DporPlan::add(std::string_view end) {
  DporPiece after = dpor_piece_from(end);
  // What has grown meanwhile has nothing from this piece.
  for (std::uint64_t i = 0; i < now_.fenced; ++i) {
    if (has_grown_from(now_.levels[i].plans, after.levels[i].plans))
      after.levels[i].plans = std::move(now_.levels[i].plans);
  }
  after.fenced = now_.fenced;
  now_ = std::move(after);
  is_out_ = false;
  if (now_.is_explored) return move_on();
  if (const std::optional<std::uint32_t> level = now_.open_level()) {
    cuts_.push_back(*level);
    now_.fenced = *level + 1;
  }
}

// The last of the fenced levels takes its next decision, or one above.
void DporPlan::move_on() {
  now_.is_explored = false;
  while (!now_.levels.empty()) {
    const auto last = static_cast<std::uint32_t>(now_.levels.size() - 1);
    while (!cuts_.empty() && cuts_.back() > last) cuts_.pop_back();
    now_.fenced = cuts_.empty() ? 0 : cuts_.back() + 1;
    now_.branch_step = now_.levels.back().branch_step();
    if (now_.levels.back().move_on(now_.planned)) return;
    now_.levels.pop_back();
  }
  is_over_ = true;
}

}  // namespace ricercar::inline strategy
