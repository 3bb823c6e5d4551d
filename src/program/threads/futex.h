// Futexes, as the C++ library uses them for atomic waits, semaphores, latches and futures, and as
// other libraries make locks of them.
#pragma once

#include <cstdint>
#include <span>

namespace ricercar::inline threads {

// These return what the system call returns, with errno set on failure.
long futex_wait(std::uint32_t* word, std::uint32_t expected, const std::uint64_t* deadline,
                std::uint32_t mask, std::uint64_t site);
long futex_wake(std::uint32_t* word, std::uint32_t count, std::uint32_t mask, std::uint64_t site);

// Some waiters wake, others wait on `target` from now on.
struct Requeue {
  std::uint32_t* word;
  std::uint32_t wake;
  std::uint32_t move;
  std::uint32_t* target;
  const std::uint32_t* expected;  // what the word must hold; null: anything
};
long futex_requeue(const Requeue& how, std::uint64_t site);

// FUTEX_WAKE_OP: changes the second word and wakes waiters of both.
struct WakeBoth {
  std::uint32_t* word;
  std::uint32_t wake;
  std::uint32_t* second;
  std::uint32_t wake_second;
  std::uint32_t operation;  // packed as the system call has it
};
long futex_wake_operation(const WakeBoth& how, std::uint64_t site);

// Waits on several words at once (futex_waitv): the position of the one that woke it.
struct WaitedWord {
  std::uint32_t* word;
  std::uint32_t expected;
};
long futex_wait_any(std::span<const WaitedWord> words, const std::uint64_t* deadline,
                    std::uint64_t site);

// Futexes that pass priorities on (FUTEX_LOCK_PI and its relatives). The kernel keeps the owner in
// the word: the number of its thread, with a bit that says that others wait. There are no
// priorities here. These, too, return what the system call returns.
long pi_lock(std::uint32_t* word, const std::uint64_t* deadline, std::uint64_t site);
long pi_try_lock(std::uint32_t* word, std::uint64_t site);
long pi_unlock(std::uint32_t* word, std::uint64_t site);

// The kernel changes the word for the running task: an atomic update, to the race detector.
void kernel_updates(const std::uint32_t* word, std::uint64_t site);

}  // namespace ricercar::inline threads
