// Which alternatives of a value have been taken in which place of the program, and which of an
// execution's values could still be another one there.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace ricercar {

class UntriedValues {
 public:
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

}  // namespace ricercar
