// Six bits of what a decision led to; a replay compares them to notice at once that it diverged.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "model/ids.h"
#include "model/operation.h"

namespace ricercar::inline model {

inline std::uint8_t decision_check(OperationKind kind, TaskId task, std::uint32_t options) {
  const std::uint64_t key =
      (static_cast<std::uint64_t>(kind) << 48) ^ (std::uint64_t{index(task)} << 32) ^ options;
  return static_cast<std::uint8_t>(mix64(key) & 63);
}

}  // namespace ricercar::inline model
