// Named semaphores of a node, which other nodes can open too: unlike all others they are the
// kernel's, and who waits for one looks again when somebody has given it back.
#pragma once

#include <semaphore.h>

#include <cstdint>

#include "threads/mutex.h"

namespace ricercar::inline threads {

// Those that sem_open() has given to the program in this execution.
class NamedSemaphores {
 public:
  void begin_execution() { count_ = 0; }
  void add(sem_t* semaphore);
  void remove(const sem_t* semaphore);
  bool contains(const sem_t* semaphore) const;

 private:
  static constexpr std::uint32_t most = 64;
  sem_t* all_[most] = {};
  std::uint32_t count_ = 0;
};

// In a node, and one of them.
bool is_kernel_semaphore(const sem_t* semaphore);

// As semaphore_wait and semaphore_post: 0 or an error number; and the value.
int kernel_semaphore_wait(sem_t* semaphore, Wait wait, std::uint64_t deadline, std::uint64_t site);
int kernel_semaphore_post(sem_t* semaphore, std::uint64_t site);
int kernel_semaphore_value(sem_t* semaphore, std::uint64_t site);

}  // namespace ricercar::inline threads
