#include "strategy/hapset/predecessor_sets.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "strategy/hapset/learned_sets.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::size_t least_slots = 64;
constexpr std::uint32_t most = ~std::uint32_t{0};

}  // namespace

PredecessorSets::Statement PredecessorSets::statement(std::span<const std::uint64_t> places) {
  std::uint64_t hash = places.size();
  for (const std::uint64_t place : places) hash = mix64(hash ^ place);
  std::vector<Statement>& same = statements_[hash];
  for (const Statement known : same) {
    const std::span<const std::uint64_t> other = this->places(known);
    if (std::equal(other.begin(), other.end(), places.begin(), places.end())) return known;
  }
  places_.insert(places_.end(), places.begin(), places.end());
  ends_.push_back(static_cast<std::uint32_t>(places_.size()));
  same.push_back(static_cast<Statement>(ends_.size() - 1));
  return same.back();
}

std::size_t PredecessorSets::position(const Slot& wanted) const {
  std::uint64_t at = mix64(std::uint64_t{wanted.later} << 32 | wanted.earlier);
  while (true) {
    const std::size_t i = at++ & (slots_.size() - 1);
    const Slot& slot = slots_[i];
    if (slot.later == none) return i;
    if (slot.later == wanted.later && slot.earlier == wanted.earlier) return i;
  }
}

const PredecessorSets::Slot* PredecessorSets::find(const Pair& pair) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[position(slot_of(pair))];
  return slot.later == none ? nullptr : &slot;
}

PredecessorSets::Slot& PredecessorSets::insert(const Pair& pair) {
  if (3 * (used_ + 1) > 2 * slots_.size()) {
    const std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? least_slots : 2 * old.size());
    for (const Slot& slot : old) {
      if (slot.later != none) slots_[position(slot)] = slot;
    }
  }
  const Slot wanted = slot_of(pair);
  Slot& slot = slots_[position(wanted)];
  if (slot.later == none) {
    slot = wanted;
    ++used_;
  }
  return slot;
}

bool PredecessorSets::add(const Pair& pair, std::uint32_t count) {
  Slot& slot = insert(pair);
  const bool is_new = slot.count == 0;
  slot.count = slot.count > most - count ? most : slot.count + count;
  if (!is_new) return false;
  ++seen_;
  slot.first_execution = static_cast<std::uint32_t>(added_.size());
  if (!added_.empty()) ++added_.back();
  return true;
}

void PredecessorSets::add_possible(const Pair& pair) { insert(pair); }

void give(const LearnedSets& learned, PredecessorSets& sets) {
  std::vector<PredecessorSets::Statement> statements;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : learned.ends) {
    statements.push_back(sets.statement(learned.places.subspan(begin, end - begin)));
    begin = end;
  }
  for (const LearnedPair& known : learned.pairs) {
    const PredecessorSets::Pair pair{statements[known.later], statements[known.earlier],
                                     known.later_is_local};
    if (known.count == 0) {
      sets.add_possible(pair);
    } else {
      sets.add(pair, known.count);
    }
  }
}

}  // namespace ricercar::inline strategy
