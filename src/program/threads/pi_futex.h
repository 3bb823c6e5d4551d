// Futexes that pass priorities on (FUTEX_LOCK_PI and its relatives). The kernel keeps the owner in
// the word: the number of its thread, with a bit that says that others wait. There are no
// priorities here.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

// These return what the system call returns, with errno set on failure.
long pi_lock(std::uint32_t* word, const std::uint64_t* deadline, std::uint64_t site);
long pi_try_lock(std::uint32_t* word, std::uint64_t site);
long pi_unlock(std::uint32_t* word, std::uint64_t site);

}  // namespace ricercar::inline threads
