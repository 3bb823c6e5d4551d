#include "strategy/candidate_facts.h"

#include <algorithm>
#include <tuple>

#include "base/random.h"

namespace ricercar::inline strategy {
namespace {

// What the reversal of a race would show; nothing if it is known.
std::optional<PredecessorSets::Pair> new_pair_of(const HappensBefore::Race& race,
                                                 const ExecutionRaces& races,
                                                 Statements& statements, const RunEvents& events) {
  const std::optional<PredecessorSets::Pair> pair =
      events.turned_around(races.order(), race, races.left());
  if (!pair || statements.sets().contains(*pair)) return std::nullopt;
  statements.sets().add_possible(*pair);
  return pair;
}

}  // namespace

bool CandidateFacts::Reversed::operator<(const Reversed& other) const {
  return std::tie(point, task, is_direct) < std::tie(other.point, other.task, other.is_direct);
}

void CandidateFacts::begin(Statements* statements, const RunEvents* events) {
  reversals_.clear();
  for (const HappensBefore::Race& race : races_.races()) {
    const std::uint32_t at = points_.at_step(races_.step_of(race.first));
    if (at == no_index) continue;
    reversal_.begin(race);
    const std::uint16_t task = reversal_[0].task;
    reversals_.push_back(
        {at, task, task == index(race.task),
         statements != nullptr ? new_pair_of(race, races_, *statements, *events) : std::nullopt});
  }
  std::sort(reversals_.begin(), reversals_.end());
  fill_pasts();
}

// The sum over the slots of a number for each slot's task, place and past, so without their order.
void CandidateFacts::fill_pasts() {
  const HappensBefore& order = races_.order();
  const std::vector<HappensBefore::Slot>& slots = order.slots();
  pasts_.assign(slots.size() + 1, 0);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    std::uint64_t number = mix64(std::uint64_t{index(slots[i].task)} << 32 | slots[i].number);
    for (std::uint32_t task = 0; task < order.task_count(); ++task) {
      number = mix64(number ^ order.in_clock(slots[i].clock, task));
    }
    pasts_[i + 1] = pasts_[i] + number;
  }
}

void CandidateFacts::complete(Candidate& candidate, std::uint32_t at, std::uint16_t task) {
  new_pair_.reset();
  const auto found = std::lower_bound(reversals_.begin(), reversals_.end(),
                                      Reversed{at, task, false, std::nullopt});
  for (auto i = found; i != reversals_.end() && i->point == at && i->task == task; ++i) {
    candidate.reverses_race = true;
    candidate.is_direct = candidate.is_direct || i->is_direct;
    if (i->pair) new_pair_ = i->pair;
  }
  candidate.shows_new = new_pair_.has_value();
  const std::uint32_t slot = races_.order().slot_at(points_[at].step);
  candidate.commutes = commutes(slot, task);
  candidate.past = pasts_[slot];
}

// What the task does next commutes with every slot from `slot` up to there.
bool CandidateFacts::commutes(std::uint32_t slot, std::uint16_t task) const {
  const HappensBefore& order = races_.order();
  if (task >= order.task_count()) return false;
  const std::vector<std::uint32_t>& own = order.slots_of(task);
  const auto next = std::lower_bound(own.begin(), own.end(), slot);
  if (next == own.end()) return false;
  const Footprint& wanted = order.slots()[*next].footprint;
  for (std::uint32_t i = slot; i < *next; ++i) {
    if (order.slots()[i].footprint.depends_on(wanted)) return false;
  }
  return true;
}

std::uint64_t CandidateFacts::trace_number() const {
  const HappensBefore& order = races_.order();
  std::uint64_t number = pasts_.back();
  for (const DefaultPoint& point : points_) {
    if (!point.is_value) continue;
    const std::uint32_t task = index(races_.trace()[point.step].task);
    const std::vector<std::uint32_t>& own = order.slots_of(task);
    const auto before = std::partition_point(own.begin(), own.end(), [&](std::uint32_t slot) {
      return races_.step_of(slot) < point.step;
    });
    const auto place = static_cast<std::uint64_t>(before - own.begin());
    number += mix64(mix64(point.chosen + (place << 16)) ^ task);
  }
  return number;
}

}  // namespace ricercar::inline strategy
