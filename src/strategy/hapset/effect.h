// Which steps predecessor sets are about, and which of them conflict.
#pragma once

#include <cstdint>
#include <optional>

#include "model/trace.h"

namespace ricercar {

// What an event does to its object. Two events conflict unless both read, both wait, or both
// notify.
enum class Effect : std::uint8_t { read, write, wait, notify };

constexpr bool conflict(Effect a, Effect b) { return a == Effect::write || a != b; }

// What a step is for predecessor sets: memory accesses and synchronisation. Nothing for what
// touches no object, and for unlocks: only those of recursive locks count.
std::optional<Effect> effect_of(const Step& step);

}  // namespace ricercar
