// The options that the worlds and the search share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ricercar {

// Where choice points are: at synchronisation only; at atomics too; at plain accesses to memory
// that is known to be shared, too; at all plain accesses.
enum class Points : std::uint8_t { sync, atomic, shared, memory };
inline constexpr std::array<std::string_view, 4> point_names = {"sync", "atomic", "shared",
                                                                "memory"};
constexpr std::string_view name_of(Points points) {
  return point_names[static_cast<std::size_t>(points)];
}
// What a thread of the program runs on. Real threads are slow, and every debugger understands them.
enum class Backend : std::uint8_t { fibers, threads };

}  // namespace ricercar
