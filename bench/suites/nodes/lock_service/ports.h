// Where the servers are reached.
#pragma once

#include <cstdint>

namespace locks {

constexpr std::uint16_t lock_port = 7800;
constexpr std::uint16_t storage_port = 7900;

}  // namespace locks
