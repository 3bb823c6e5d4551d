// System V semaphores: sets that a program finds by numbers and keys. A set is an array in the
// program's heap, so a report can say who made it; what happens to one of its semaphores is
// semaphore.h's. Sets that another process has made are left to the kernel.
#pragma once

#include <semaphore.h>
#include <sys/types.h>

#include <cstdint>

namespace ricercar::inline threads {

struct SemaphoreSet {
  key_t key = 0;
  unsigned short count = 0;
  sem_t* semaphores = nullptr;  // null: it was removed
};

// Those of one execution.
class SemaphoreSets {
 public:
  void begin_execution() { count_ = 0; }

  SemaphoreSet* find(int number);    // null: it is none of these
  int number_of(key_t key) const;    // -1: there is none
  int add(const SemaphoreSet& set);  // -1: there are too many

 private:
  static constexpr int first_number = 0x40000000;  // the kernel gives smaller ones

  static constexpr int most = 256;

  int count_ = 0;
  SemaphoreSet sets_[most] = {};
};

// Whether the program has made it in this execution.
bool is_own_semaphore_set(int set);

// These return what the functions of the C library do, or a negative error number.
int semaphore_set_find(key_t key, int count, int flags, std::uint64_t site);
int semaphore_set_remove(int set, std::uint64_t site);
int semaphore_set_value(int set, int number, std::uint64_t site);
int semaphore_set_assign(int set, int number, int value, std::uint64_t site);
// One operation, as in sembuf. With a deadline: until then.
int semaphore_set_operate(int set, int number, int change, bool waits,
                          const std::uint64_t* deadline, std::uint64_t site);

}  // namespace ricercar::inline threads
