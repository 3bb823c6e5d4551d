#include "strategy/hapset/effect.h"

#include <array>
#include <iterator>

namespace ricercar {
namespace {

constexpr std::optional<Effect> effect_of(OperationKind kind) {
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

constexpr std::size_t kind_count = std::size(operation_kinds);

constexpr auto effects = [] {
  std::array<std::optional<Effect>, kind_count> table{};
  for (std::size_t i = 0; i < kind_count; ++i) table[i] = effect_of(static_cast<OperationKind>(i));
  return table;
}();

}  // namespace

std::optional<Effect> effect_of(const Step& step) {
  if ((step.flags & step_value) != 0 || step.object == 0) return std::nullopt;
  if ((step.open & recursive_lock) != 0) return Effect::write;
  return effects[static_cast<std::size_t>(step.kind)];
}

}  // namespace ricercar
