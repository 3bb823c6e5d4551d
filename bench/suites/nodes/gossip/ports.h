// Where a member is reached.
#pragma once

#include <cstdint>

namespace group {

constexpr std::uint16_t gossip_port = 8000;
constexpr std::uint16_t question_port = 8100;

}  // namespace group
