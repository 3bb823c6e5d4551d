// Which steps predecessor sets are about, and which of them conflict.
#pragma once

#include <optional>

#include "model/trace.h"

namespace ricercar::inline strategy {

constexpr bool conflict(Effect a, Effect b) { return a == Effect::write || a != b; }

// What a step is for predecessor sets: memory accesses and synchronisation. Nothing for what
// touches no object, and for unlocks: only those of recursive locks count.
inline std::optional<Effect> effect_of(const Step& step) {
  if ((step.flags & step_value) != 0 || step.object == 0) return std::nullopt;
  if ((step.open & recursive_lock) != 0) return Effect::write;
  const Effect effect = info(step.kind).effect;
  return effect == Effect::none ? std::nullopt : std::optional(effect);
}

}  // namespace ricercar::inline strategy
