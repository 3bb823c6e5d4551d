// Priority functions: in which order a best-first search runs what it has found (GAMBIT, section
// 4).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace ricercar {

// A decision that an execution could have taken: `task` instead of the one that was chosen for the
// step `step` of its trace.
struct Candidate {
  Trace trace;
  std::uint64_t step;
  TaskId task;
  std::uint32_t preemptions;  // of the new execution up to and including this decision
  bool reverses_race;         // partial-order reduction asks for it
  bool is_direct;             // ... because of a step of `task` itself, not of one that needs it
  bool commutes;              // what `task` did next commutes with everything in between
  std::uint64_t past;         // a number for the happens-before relation before the step
};

class PriorityFunction {
 public:
  virtual ~PriorityFunction() = default;
  // Small numbers are run first.
  virtual std::uint16_t priority(const Candidate& candidate) = 0;
  virtual bool needs_order() const { return false; }
};

struct PriorityInfo {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<PriorityFunction> (*make)(std::uint64_t seed);
};

// The one table of them.
std::span<const PriorityInfo> priorities();

// Several functions, the first one decides, the others in case of a tie.
class Priorities {
 public:
  // `names` joined by '+'. Throws UsageError for a name that does not exist.
  Priorities(std::string_view names, std::uint64_t seed);
  std::uint64_t of(const Candidate& candidate) const;
  bool need_order() const;

 private:
  std::vector<std::unique_ptr<PriorityFunction>> functions_;
};

}  // namespace ricercar
