// Random numbers for the program under test: seeded, and the same in every execution. Each task has
// a stream of its own, so that what it draws does not depend on when others draw.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar {

// An execution begins: all streams start again.
void random_begin_execution(std::uint64_t seed);

// The next number of the running task.
std::uint64_t random_number();
// Fills memory with the running task's next numbers.
void fill_randomly(void* memory, std::size_t size);

// Counts the executions since the process started.
std::uint64_t random_execution();

}  // namespace ricercar
