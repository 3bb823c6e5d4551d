// A hash over a trace that is the same for the same behaviour: tasks, operations, sites, and
// objects by the order in which they appear. A replay must give the same one.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/random.h"
#include "model/trace.h"

namespace ricercar::inline model {

inline std::uint64_t hash_of(Trace trace) {
  std::unordered_map<std::uint64_t, std::uint64_t> numbers;
  std::uint64_t hash = trace.size();
  for (const Step& step : trace) {
    const std::uint32_t flags = step.flags & ~step_named;  // a replay is not told of names
    const std::uint64_t object = numbers.try_emplace(step.object, numbers.size()).first->second;
    hash = mix64(hash ^ step.site);
    hash = mix64(hash ^ object);
    hash = mix64(hash ^ (std::uint64_t{index(step.task)} << 32) ^
                 (static_cast<std::uint64_t>(step.kind) << 16) ^ flags);
    // Larger values are likely to be pointers, which may differ between processes.
    if (step.value < (std::uint64_t{1} << 32)) hash = mix64(hash ^ step.value);
  }
  return hash;
}

}  // namespace ricercar::inline model
