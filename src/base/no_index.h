// The number that stands for no position at all.
#pragma once

#include <cstdint>

namespace ricercar::inline base {

inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

}  // namespace ricercar::inline base
