// What HaPSet plans at a choice point, and what it knows of places in the code for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/call_contexts.h"
#include "strategy/decision_points.h"
#include "strategy/hapset/predecessor_sets.h"

namespace ricercar::inline strategy {

// Where the code of a step is; no name is needed. The start of a task has no place of its own.
inline std::uint64_t place_of(const Step& step, ContextId context) {
  return mix64(step.site != 0 ? step.site : ~std::uint64_t{index(step.task)}) + context;
}

// Places that the end of an execution has cut off, and whether they have been come to since.
class CutOffPlaces {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(done_);
  }

  bool empty() const { return done_.empty(); }
  void clear() { done_.clear(); }
  // True: it has not been come to since.
  bool note(std::uint64_t place) { return !done_.try_emplace(place, false).first->second; }
  void note_done(std::uint64_t place) {
    const auto found = done_.find(place);
    if (found != done_.end()) found->second = true;
  }
  bool is_done(std::uint64_t place) const {
    const auto found = done_.find(place);
    return found != done_.end() && found->second;
  }

 private:
  std::unordered_map<std::uint64_t, bool> done_;
};

// Which alternatives of a value have been taken in which place of the program, and which of an
// execution's values could still be another one there.
class UntriedValues {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(taken_, places_);
  }

  void clear() {
    taken_.clear();
    places_.clear();
  }

  // The execution has taken an alternative at this step.
  void note(std::uint32_t step, std::uint64_t place, std::uint16_t value) {
    places_[step] = place;
    taken_.insert({place, value});
  }
  // The search has left the step.
  void forget(std::uint32_t step) { places_.erase(step); }

  // One that was never taken in the place of the step.
  std::optional<std::uint16_t> at(std::uint32_t step, std::uint32_t alternatives) const {
    const auto place = places_.find(step);
    if (place == places_.end()) return std::nullopt;
    for (std::uint32_t i = 0; i < alternatives; ++i) {
      const auto value = static_cast<std::uint16_t>(i);
      if (!taken_.contains({place->second, value})) return value;
    }
    return std::nullopt;
  }

 private:
  std::set<std::pair<std::uint64_t, std::uint16_t>> taken_;  // place, value
  std::unordered_map<std::uint32_t, std::uint64_t> places_;  // of the execution, by step
};

struct PrunedLevel : DecisionPoint {
  // An execution that may show something new: the task gets a turn, and in the end `pair` is seen.
  struct Plan {
    std::uint16_t task;
    std::uint16_t partner;  // whose step is to come right behind, if that can be said; nobody: not
    PredecessorSets::Pair pair;
  };
  // An execution in which the task comes to something that the end of another one has cut off.
  struct Turn {
    std::uint16_t task;
    std::uint64_t place;
  };

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(static_cast<DecisionPoint&>(*this)), done, plain(plans), plain(turns));
  }

  void add(const Plan& plan) {
    if (plan.task != chosen) plans.push_back(plan);
  }
  void add(const Turn& turn) {
    if (turn.task != chosen) turns.push_back(turn);
  }

  // The newest plan. `sets`: one that would show nothing new any more is left out, and counted;
  // nullptr: what was planned is run.
  std::optional<Plan> next_plan(const PredecessorSets* sets, std::uint64_t& left_out) {
    while (!plans.empty()) {
      const Plan plan = plans.back();
      plans.pop_back();
      if (plan.task == chosen || was_taken(plan.task)) continue;
      if (sets == nullptr || !sets->contains(plan.pair)) return plan;
      ++left_out;
    }
    return std::nullopt;
  }

  std::optional<std::uint16_t> next_turn(const CutOffPlaces& cut_off) {
    while (!turns.empty()) {
      const Turn turn = turns.back();
      turns.pop_back();
      if (!was_taken(turn.task) && !cut_off.is_done(turn.place)) return turn.task;
    }
    return std::nullopt;
  }

  void take(std::uint16_t choice) {
    done.push_back(chosen);
    chosen = choice;
  }
  bool was_taken(std::uint16_t choice) const {
    return std::find(done.begin(), done.end(), choice) != done.end();
  }

  std::vector<std::uint16_t> done;  // other decisions that were taken here
  std::vector<Plan> plans;
  std::vector<Turn> turns;
};

}  // namespace ricercar::inline strategy
