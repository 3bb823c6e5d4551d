#include "strategy/hapset/events.h"

#include <algorithm>

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t word_bytes = 8;

}  // namespace

void RunEvents::rewind(std::uint64_t step) {
  if (step == 0) {
    events_.clear();
    records_.clear();
    by_step_.clear();
    ++round_;
    return;
  }
  while (!events_.empty() && events_.back().step >= step) {
    const auto event = static_cast<std::uint32_t>(events_.size() - 1);
    for (; !records_.empty() && records_.back().event == event; records_.pop_back()) {
      last(records_.back().word) = records_.back().previous;
    }
    events_.pop_back();
  }
  if (by_step_.size() > step) by_step_.resize(step);
}

void RunEvents::extend(Trace trace, std::span<const ContextId> contexts, bool is_good) {
  const std::size_t known = by_step_.size();
  trace_size_ = static_cast<std::uint32_t>(trace.size());
  by_step_.reserve(trace.size());
  const std::span<const Statements::Statement> statements =
      statements_.of(trace.subspan(known), contexts.subspan(known));
  for (std::size_t i = known; i < trace.size(); ++i) {
    if (repeats(trace[i], statements[i - known])) continue;
    const Event* event = add(trace[i], statements[i - known], static_cast<std::uint32_t>(i));
    if (event != nullptr) touch(*event, is_good);
  }
}

void RunEvents::add_left(Trace left, std::span<const ContextId> contexts) {
  const std::span<const Statements::Statement> statements = statements_.of(left, contexts);
  for (std::size_t i = 0; i < left.size(); ++i) {
    add(left[i], statements[i], trace_size_ + static_cast<std::uint32_t>(i));
  }
}

bool RunEvents::repeats(const Step& step, Statements::Statement statement) {
  if (events_.empty()) return false;
  const auto last = static_cast<std::uint32_t>(events_.size() - 1);
  const Event& event = events_[last];
  const bool same = event.object == step.object && event.statement == statement &&
                    event.task == step.task && event.size == std::max<std::uint8_t>(step.size, 1) &&
                    event.effect == effect_of(step);
  if (same) by_step_.push_back(last);
  return same;
}

const RunEvents::Event* RunEvents::add(const Step& step, Statements::Statement statement,
                                       std::uint32_t at) {
  const std::optional<Effect> effect = effect_of(step);
  by_step_.push_back(effect ? static_cast<std::uint32_t>(events_.size()) : none);
  if (!effect) return nullptr;
  const auto size = std::max<std::uint8_t>(step.size, 1);
  events_.push_back({step.object, at, statement, step.task, *effect, size});
  return &events_.back();
}

void RunEvents::touch(const Event& event, bool learns) {
  for (std::uint64_t word = event.object / word_bytes; word * word_bytes < event.end(); ++word) {
    std::uint32_t& last = this->last(word);
    Record record{word, static_cast<std::uint32_t>(events_.size() - 1), last, last, event.task};
    if (last != none && records_[last].task == event.task) {
      record.other = records_[last].other;
    } else if (learns && last != none) {
      learn(event, last);
    }
    last = static_cast<std::uint32_t>(records_.size());
    records_.push_back(record);
  }
}

// The last one of each other task since the task itself touched the word.
void RunEvents::learn(const Event& event, std::uint32_t previous) {
  std::uint64_t seen = 0;  // of the tasks up to number 63
  seen_.clear();
  for (std::uint32_t i = previous; i != none; i = records_[i].other) {
    const TaskId task = records_[i].task;
    if (task == event.task) return;
    if (index(task) < 64) {
      const std::uint64_t bit = std::uint64_t{1} << index(task);
      if ((seen & bit) != 0) continue;
      seen |= bit;
    } else {
      if (std::find(seen_.begin(), seen_.end(), task) != seen_.end()) continue;
      seen_.push_back(task);
    }
    const Event& earlier = events_[records_[i].event];
    if (conflict(event, earlier)) statements_.sets().add(pair(event, earlier));
  }
}

std::optional<PredecessorSets::Pair> RunEvents::first_conflict(std::uint32_t later,
                                                               std::uint32_t later_end,
                                                               std::uint32_t earlier,
                                                               std::uint32_t earlier_end) const {
  for (std::uint32_t i = earlier; i < earlier_end; ++i) {
    const Event* first = at(i);
    for (std::uint32_t j = later; first != nullptr && j < later_end; ++j) {
      const Event* second = at(j);
      if (second != nullptr && conflict(*first, *second)) return pair(*second, *first);
    }
  }
  return std::nullopt;
}

std::optional<PredecessorSets::Pair> RunEvents::turned_around(const HappensBefore& order,
                                                              const HappensBefore::Race& race,
                                                              Trace left) const {
  const std::vector<HappensBefore::Slot>& slots = order.slots();
  const auto end_of = [&](std::uint32_t slot) {
    return slot + 1 < slots.size() ? slots[slot + 1].step : trace_size_;
  };
  const std::uint32_t later = slots[race.first].step;
  const std::uint32_t later_end = end_of(race.first);
  if (race.second != HappensBefore::none) {
    return first_conflict(later, later_end, slots[race.second].step, end_of(race.second));
  }
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    if (left[i].task != race.task) continue;
    return first_conflict(later, later_end, trace_size_ + i, trace_size_ + i + 1);
  }
  return std::nullopt;
}

}  // namespace ricercar::inline strategy
