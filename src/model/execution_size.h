// How much there is to understand in an execution.
#pragma once

#include <compare>
#include <cstdint>

#include "model/fields.h"
#include "model/trace.h"

namespace ricercar::inline model {

// The most important first: the smaller of two executions is the one that is easier to understand.
struct ExecutionSize {
  std::uint64_t preemptions = 0;
  std::uint64_t switches = 0;  // from one task to another, preemptions included
  std::uint64_t steps = 0;
  std::uint64_t faults = 0;  // that were injected

  auto operator<=>(const ExecutionSize&) const = default;
  static constexpr auto fields() {
    return std::tuple(Field{"preemptions", &ExecutionSize::preemptions},
                      Field{"switches", &ExecutionSize::switches},
                      Field{"steps", &ExecutionSize::steps},
                      Field{"faults", &ExecutionSize::faults});
  }
};
static_assert(names_all_fields<ExecutionSize>);

ExecutionSize size_of(Trace trace);

}  // namespace ricercar::inline model
