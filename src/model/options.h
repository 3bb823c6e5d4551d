// The options that the worlds and the search share.
#pragma once

#include <cstdint>

namespace ricercar {

// Where choice points are: at synchronisation only, at atomics too, at plain shared accesses too.
enum class Points : std::uint8_t { sync, atomic, memory };
// What a thread of the program runs on. Real threads are slow, and every debugger understands them.
enum class Backend : std::uint8_t { fibers, threads };

}  // namespace ricercar
