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
    add_reversals(
        race, at,
        statements != nullptr ? new_pair_of(race, races_, *statements, *events) : std::nullopt);
  }
  std::sort(reversals_.begin(), reversals_.end());
  sleepers_.clear();
  if (!space_.reduces) find_sleepers();
  fill_pasts();
}

// What source sets ask for is whoever the reversal begins with. What persistent sets ask for is the
// task of the race, and everybody where that one cannot run (GAMBIT, figure 4, lines 32 to 37).
void CandidateFacts::add_reversals(const HappensBefore::Race& race, std::uint32_t at,
                                   const std::optional<PredecessorSets::Pair>& pair) {
  const auto own = static_cast<std::uint16_t>(index(race.task));
  reversal_.begin(race);
  const std::uint16_t first = reversal_[0].task;
  reversals_.push_back({at, first, first == own, pair});
  if (points_.is_enabled(at, own)) {
    if (first != own) reversals_.push_back({at, own, true, std::nullopt});
    return;
  }
  points_.for_each_enabled(at, [&](std::uint16_t task) {
    if (task != first) reversals_.push_back({at, task, false, std::nullopt});
  });
}

// The order of the decisions at a point is that in which best-first search adds them: the default,
// then the others by their number. Whoever comes before the one that the execution takes sleeps
// from there on, until something happens that depends on what he would do.
void CandidateFacts::find_sleepers() {
  for (std::uint32_t at = 0; at < points_.size(); ++at) {
    const DefaultPoint& point = points_[at];
    if (point.is_value || point.chosen == point.by_default) continue;
    const std::uint32_t slot = races_.order().slot_at(point.step);
    points_.for_each_enabled(at, [&](std::uint16_t task) {
      if (task != point.by_default && task >= point.chosen) return;
      if (point.preemptions_with(task) <= space_.bound) put_to_sleep(task, slot);
    });
  }
}

void CandidateFacts::put_to_sleep(std::uint16_t task, std::uint32_t slot) {
  const std::vector<HappensBefore::Slot>& slots = races_.order().slots();
  const std::optional<Footprint> wanted = next_of(task, slot);
  if (!wanted) return;
  std::uint32_t last = slot;
  while (last < slots.size() && index(slots[last].task) != task &&
         !slots[last].footprint.depends_on(*wanted)) {
    ++last;
  }
  if (last > slot) sleepers_.push_back({task, slot, last});
}

// What the task does at this slot or later, or would have done when the execution ended.
std::optional<Footprint> CandidateFacts::next_of(std::uint16_t task, std::uint32_t slot) const {
  const HappensBefore& order = races_.order();
  if (task < order.task_count()) {
    const std::vector<std::uint32_t>& own = order.slots_of(task);
    const auto next = std::lower_bound(own.begin(), own.end(), slot);
    if (next != own.end()) return order.slots()[*next].footprint;
  }
  for (const Step& step : races_.left()) {
    if (index(step.task) != task) continue;
    Footprint wanted;
    wanted.add_pending(step);
    return wanted;
  }
  return std::nullopt;
}

bool CandidateFacts::sleeps(std::uint16_t task, std::uint32_t slot) const {
  return std::any_of(sleepers_.begin(), sleepers_.end(), [&](const Asleep& sleeper) {
    return sleeper.task == task && sleeper.first < slot && slot <= sleeper.last;
  });
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
  candidate.sleeps = sleeps(task, slot);
  candidate.past = pasts_[slot];
}

}  // namespace ricercar::inline strategy
