// Which steps predecessor sets are about, and which of them conflict.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>

#include "model/trace.h"

namespace ricercar {

// What an event does to its object. Two events conflict unless both read, both wait, or both
// notify.
enum class Effect : std::uint8_t { read, write, wait, notify };

constexpr bool conflict(Effect a, Effect b) { return a == Effect::write || a != b; }

namespace effects {

constexpr std::optional<Effect> of(OperationKind kind) {
  switch (kind) {
    case OperationKind::unlock:
    case OperationKind::read_unlock:
    case OperationKind::write_unlock:
      return std::nullopt;
    case OperationKind::read_lock:
    case OperationKind::try_read_lock:
    case OperationKind::timed_read_lock:
      return Effect::read;
    case OperationKind::wait:
    case OperationKind::timed_wait:
    case OperationKind::futex_wait:
    case OperationKind::futex_timed_wait:
      return Effect::wait;
    case OperationKind::signal:
    case OperationKind::broadcast:
    case OperationKind::futex_wake:
      return Effect::notify;
    default:
      break;
  }
  switch (info(kind).access) {
    case Access::read:
      return Effect::read;
    case Access::write:
      return Effect::write;
    case Access::none:
      break;
  }
  return std::nullopt;
}

inline constexpr std::size_t kind_count = std::size(operation_kinds);

inline constexpr auto table = [] {
  std::array<std::optional<Effect>, kind_count> rows{};
  for (std::size_t i = 0; i < kind_count; ++i) rows[i] = of(static_cast<OperationKind>(i));
  return rows;
}();

}  // namespace effects

// What a step is for predecessor sets: memory accesses and synchronisation. Nothing for what
// touches no object, and for unlocks: only those of recursive locks count.
inline std::optional<Effect> effect_of(const Step& step) {
  if ((step.flags & step_value) != 0 || step.object == 0) return std::nullopt;
  if ((step.open & recursive_lock) != 0) return Effect::write;
  return effects::table[static_cast<std::size_t>(step.kind)];
}

}  // namespace ricercar
