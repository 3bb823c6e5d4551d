// Sleep sets (Godefroid, LNCS 1032, 1996): tasks that need not run next, because what follows from
// that has been explored, until something happens that depends on what they would do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/dependence.h"

namespace ricercar::inline strategy {

struct Sleeper {
  std::uint16_t task;
  Footprint footprint;
  bool ends = false;  // its slot has ended the execution, so nothing behind it was explored
};

class SleepSet {
 public:
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

}  // namespace ricercar::inline strategy
