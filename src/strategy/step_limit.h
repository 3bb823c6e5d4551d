// Executions that were cut at the step limit: how a strategy knows one, and what it can promise
// then. They have no end, so what would have come next is unknown, and a reduction of them proves
// nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "model/outcome.h"
#include "strategy/happens_before.h"

namespace ricercar {

// `left`: what the tasks that had not ended would have done next. Some of them could have gone on,
// and nothing that the program did is the reason why they did not.
inline bool is_cut_at_limit(Trace trace, Trace left, const Outcome& outcome) {
  if (outcome.is_bug() || trace.empty()) return false;
  const auto last = std::find_if(trace.rbegin(), trace.rend(), is_decided);
  if (last != trace.rend() && last->kind == OperationKind::exit) return false;
  return std::any_of(left.begin(), left.end(),
                     [](const Step& step) { return (step.flags & step_blocked) == 0; });
}

// The first of the slots, up to the last one, that the task of the last one ran without a switch.
inline std::uint32_t last_block(const HappensBefore& order) {
  const std::vector<HappensBefore::Slot>& slots = order.slots();
  auto block = static_cast<std::uint32_t>(slots.size() - 1);
  while (block > 0 && slots[block - 1].task == slots[block].task) --block;
  return block;
}

inline std::string limited_text(const std::string& what, std::uint64_t count,
                                std::uint64_t at_limit) {
  return what + ": " + std::to_string(count) + ", " + std::to_string(at_limit) +
         " of them without an end (the step limit), so this is no proof";
}

}  // namespace ricercar
