// Sleep sets (Godefroid, LNCS 1032, 1996): tasks that need not run next, because what follows from
// that has been explored, until something happens that depends on what they would do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/plain.h"
#include "model/dependence.h"

namespace ricercar::inline strategy {

struct Sleeper {
  std::uint16_t task;
  Footprint footprint;
  bool ends = false;  // its slot has ended the execution, so nothing behind it was explored
};

class SleepSet {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(sleepers_));
  }

  bool empty() const { return sleepers_.empty(); }
  bool contains(std::uint16_t task) const {
    return std::any_of(sleepers_.begin(), sleepers_.end(),
                       [task](const Sleeper& sleeper) { return sleeper.task == task; });
  }
  void add(const Sleeper& sleeper) { sleepers_.push_back(sleeper); }
  void assign(std::span<const Sleeper> sleepers) {
    sleepers_.assign(sleepers.begin(), sleepers.end());
  }
  // A slot of `task` happens.
  void wake(std::uint16_t task, const Footprint& footprint) {
    std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
      return sleeper.task == task || sleeper.footprint.depends_on(footprint);
    });
  }
  const std::vector<Sleeper>& all() const { return sleepers_; }

 private:
  std::vector<Sleeper> sleepers_;
};

// Footprints by small numbers: a program has few different ones, and a search may keep very many.
class FootprintTable {
 public:
  using Number = std::uint16_t;
  // Of what depends on everything: also what stands for all that the table has no room for.
  static constexpr Number everything = 0;
  // Of what nobody did.
  static constexpr Number nothing_done = 0xffff;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(footprints_), numbers_);
  }

  const Footprint& operator[](Number number) const { return footprints_[number]; }

  Number number_of(const Footprint& footprint) {
    if (footprint == footprints_[everything]) return everything;
    const auto [first, last] = numbers_.equal_range(footprint.hash());
    for (auto i = first; i != last; ++i) {
      if (footprints_[i->second] == footprint) return i->second;
    }
    if (footprints_.size() == nothing_done) return everything;
    const auto number = static_cast<Number>(footprints_.size());
    footprints_.push_back(footprint);
    numbers_.emplace(footprint.hash(), number);
    return number;
  }

 private:
  std::vector<Footprint> footprints_{Footprint::all()};
  std::unordered_multimap<std::uint64_t, Number> numbers_;  // by hash
};

}  // namespace ricercar::inline strategy
