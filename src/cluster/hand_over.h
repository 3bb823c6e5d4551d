// Handing the turn from one process to another: futex words in memory that both map.
#pragma once

#include <atomic>
#include <cstdint>

namespace ricercar::inline cluster {

// Gives the turn to whoever waits for `word` to be `value`.
void hand_over(std::atomic<std::uint32_t>& word, std::uint32_t value);
// Waits until the word is `value`, or for so many milliseconds. False: they have passed.
bool await_turn(const std::atomic<std::uint32_t>& word, std::uint32_t value, int milliseconds);
// However long that takes. A limit costs the kernel a timer each time, half a microsecond.
void await_turn(const std::atomic<std::uint32_t>& word, std::uint32_t value);

}  // namespace ricercar::inline cluster
