// Futexes, as the C++ library uses them for atomic waits, semaphores, latches and futures.
#pragma once

#include <cstdint>

namespace ricercar {

// These return what the system call returns, with errno set on failure.
long futex_wait(std::uint32_t* word, std::uint32_t expected, const std::uint64_t* deadline,
                std::uint32_t mask, std::uint64_t site);
long futex_wake(std::uint32_t* word, std::uint32_t count, std::uint32_t mask, std::uint64_t site);
long futex_requeue(std::uint32_t* word, std::uint32_t wake, std::uint32_t move,
                   std::uint32_t* target, std::uint64_t site);

}  // namespace ricercar
