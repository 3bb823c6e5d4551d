// The choice points of an execution, by level, as the reductions keep them: what could be decided
// there, and what was. A strategy adds what it plans by a struct that derives from DecisionPoint.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/plain.h"
#include "strategy/decision_stack.h"

namespace ricercar::inline strategy {

// The number that stands for no position at all.
inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

struct DecisionPoint {
  static constexpr std::uint16_t nobody = 0xffff;

  std::uint32_t step;         // of the trace, which the decision became
  std::uint32_t preemptions;  // before it
  std::uint32_t options;
  std::uint16_t chosen;   // the task, or the alternative
  std::uint16_t running;  // choosing another task is a preemption
  std::uint64_t enabled;  // the tasks that were options: numbers 0 to 63, as bits
  std::uint32_t
      others;  // the end of its part of DecisionPoints::others_; it begins where the last one ends
  bool is_value;

  std::uint32_t cost(std::uint16_t choice) const {
    return !is_value && running != nobody && choice != running ? 1 : 0;
  }
  std::uint32_t preemptions_with(std::uint16_t choice) const { return preemptions + cost(choice); }
};

// As a point names a choice: by its task, or by its number among the alternatives.
inline std::uint16_t choice_of(const ChoicePoint& point, std::uint32_t option) {
  if (point.kind == ChoiceKind::value) return static_cast<std::uint16_t>(option);
  return static_cast<std::uint16_t>(index(point.options.task(option)));
}

inline bool offers(const ChoicePoint& point, std::uint16_t choice) {
  if (point.kind == ChoiceKind::value) return choice < point.options.size();
  return point.options.contains(task_id(choice));
}

// The option must be there.
inline std::uint32_t option_of(const ChoicePoint& point, std::uint16_t choice) {
  if (point.kind == ChoiceKind::value) return choice;
  return point.options.position(task_id(choice));
}

template <typename Level>
class DecisionPoints {
 public:
  bool empty() const { return levels_.empty(); }
  std::size_t size() const { return levels_.size(); }
  Level& back() { return levels_.back(); }
  Level& operator[](std::size_t at) { return levels_[at]; }
  const Level& operator[](std::size_t at) const { return levels_[at]; }
  auto begin() const { return levels_.begin(); }
  auto end() const { return levels_.end(); }

  template <typename Archive>
  void serialize(Archive& archive) {
    if constexpr (std::is_trivially_copyable_v<Level>) {
      archive(plain(levels_));
    } else {
      archive(levels_);
    }
    archive(others_);
  }

  void clear() {
    levels_.clear();
    others_.clear();
  }

  // Of the execution up to its next point.
  std::uint32_t preemptions() const {
    return empty() ? 0 : levels_.back().preemptions_with(levels_.back().chosen);
  }

  // The next point of the execution, at which `choice` is taken.
  Level& push(const ChoicePoint& point, std::uint16_t choice) {
    RICERCAR_CHECK(empty() || levels_.back().step < point.step);
    const std::uint32_t preemptions = this->preemptions();
    Level& level = levels_.emplace_back();
    level.step = static_cast<std::uint32_t>(point.step);
    level.preemptions = preemptions;
    level.options = point.options.size();
    level.chosen = choice;
    level.running = DecisionPoint::nobody;
    level.enabled = 0;
    level.is_value = point.kind == ChoiceKind::value;
    if (!level.is_value) note_tasks(level, point);
    level.others = static_cast<std::uint32_t>(others_.size());
    return level;
  }

  // Another search has come to it, behind the points that are here.
  Level& push_known(const Level& level, std::span<const std::uint16_t> others) {
    others_.insert(others_.end(), others.begin(), others.end());
    levels_.push_back(level);
    levels_.back().others = static_cast<std::uint32_t>(others_.size());
    return levels_.back();
  }

  void pop() {
    RICERCAR_CHECK(!empty());
    levels_.pop_back();
    others_.resize(levels_.empty() ? 0 : levels_.back().others);
  }

  // The point at which the task was chosen whose step this is; no_index: there was no choice.
  std::uint32_t at_step(std::uint32_t step) const {
    const auto found =
        std::lower_bound(levels_.begin(), levels_.end(), step,
                         [](const Level& level, std::uint32_t at) { return level.step < at; });
    if (found == levels_.end() || found->step != step || found->is_value) return no_index;
    return static_cast<std::uint32_t>(found - levels_.begin());
  }

  bool is_enabled(std::uint32_t at, std::uint16_t task) const {
    if (task < 64) return ((levels_[at].enabled >> task) & 1) != 0;
    const std::span<const std::uint16_t> others = others_at(at);
    return std::find(others.begin(), others.end(), task) != others.end();
  }

  // Those of the tasks that could be chosen whose number is 64 or more.
  std::span<const std::uint16_t> others_at(std::uint32_t at) const {
    const std::uint32_t begin = at == 0 ? 0 : levels_[at - 1].others;
    return {others_.data() + begin, levels_[at].others - begin};
  }

  // Calls visit(task) for every task that could be chosen, in ascending order.
  template <typename Visit>
  void for_each_enabled(std::uint32_t at, Visit visit) const {
    for (std::uint64_t rest = levels_[at].enabled; rest != 0; rest &= rest - 1) {
      visit(static_cast<std::uint16_t>(std::countr_zero(rest)));
    }
    // By position: `visit` may change the plans of points, not the points.
    for (const std::uint16_t task : others_at(at)) visit(task);
  }

 private:
  void note_tasks(Level& level, const ChoicePoint& point) {
    if (point.running != no_task) level.running = static_cast<std::uint16_t>(index(point.running));
    level.enabled = point.options.mask();
    if (static_cast<std::uint32_t>(std::popcount(level.enabled)) == level.options) [[likely]] {
      return;
    }
    point.options.for_each([this](const Option& option, std::uint32_t) {
      if (index(option.task) >= 64)
        others_.push_back(static_cast<std::uint16_t>(index(option.task)));
    });
  }

  std::vector<Level> levels_;
  std::vector<std::uint16_t> others_;  // tasks from number 64 on, of the levels one after the other
};

}  // namespace ricercar::inline strategy
