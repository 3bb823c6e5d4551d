// Handing the turn from one process to another: futex words in memory that both map.
#pragma once

#include <atomic>
#include <cstdint>

namespace ricercar::inline cluster {

// Gives the turn to whoever waits for `word` to be `value`.
void hand_over(std::atomic<std::uint32_t>& word, std::uint32_t value);
// Waits until the word is `value`, however long that takes. A limit would cost the kernel a timer
// each time, half a microsecond.
void await_turn(const std::atomic<std::uint32_t>& word, std::uint32_t value);
// The same, or until somebody calls, or a signal comes. False: the word is not `value` yet. A call
// that comes before the wait is lost: who calls does it again and again.
bool await_turn_or_call(const std::atomic<std::uint32_t>& word, std::uint32_t value);
void call_waiting(const std::atomic<std::uint32_t>& word);

}  // namespace ricercar::inline cluster
