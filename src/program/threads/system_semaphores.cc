#include "threads/system_semaphores.h"

#include <errno.h>
#include <sys/ipc.h>
#include <sys/syscall.h>

#include "threads/execution.h"
#include "threads/memory/heap_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/pthread_objects.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

constexpr int largest_value = 32767;  // SEMVMX
constexpr int most_semaphores = 32000;

SemaphoreSets& sets() { return program_state.semaphore_sets; }

// Null: there is no such semaphore.
sem_t* semaphore_of(int set, int number) {
  const SemaphoreSet* found = sets().find(set);
  const bool has_it = found != nullptr && number >= 0 && number < found->count;
  return has_it ? found->semaphores + number : nullptr;
}

int take(sem_t* semaphore, bool waits, const std::uint64_t* deadline, std::uint64_t site) {
  if (!waits) return semaphore_wait(semaphore, Wait::never, 0, site);
  const Wait wait = deadline == nullptr ? Wait::forever : Wait::until_deadline;
  return semaphore_wait(semaphore, wait, deadline == nullptr ? 0 : *deadline, site, false);
}

sem_t* make_semaphores(int count, std::uint64_t site) {
  const std::size_t size = static_cast<std::size_t>(count) * sizeof(sem_t);
  void* block = heap_allocate_zeroed(size);
  if (block == nullptr) return nullptr;
  if (heap_events_wanted) heap_event(true, block, size, reinterpret_cast<void*>(site));
  auto* semaphores = static_cast<sem_t*>(block);
  for (int i = 0; i < count; ++i) semaphore_initialise(semaphores + i, 0, site);
  return semaphores;
}

int make_set(key_t key, int count, std::uint64_t site) {
  if (count <= 0 || count > most_semaphores) return -EINVAL;
  sem_t* semaphores = make_semaphores(count, site);
  if (semaphores == nullptr) return -ENOMEM;
  const int number = sets().add({key, static_cast<unsigned short>(count), semaphores});
  return number < 0 ? -ENOSPC : number;
}

int find_elsewhere(key_t key, int count, int flags, std::uint64_t site) {
  const long found = system_call(SYS_semget, key, count, flags);
  if (found >= 0) {
    not_modelled("uses System V semaphores of another process, which is not under control", site);
  }
  return static_cast<int>(found);
}

}  // namespace

SemaphoreSet* SemaphoreSets::find(int number) {
  if (number < first_number || number >= first_number + count_) return nullptr;
  SemaphoreSet& set = sets_[number - first_number];
  return set.semaphores == nullptr ? nullptr : &set;
}

int SemaphoreSets::number_of(key_t key) const {
  for (int i = 0; i < count_; ++i) {
    if (sets_[i].key == key && sets_[i].semaphores != nullptr) return first_number + i;
  }
  return -1;
}

int SemaphoreSets::add(const SemaphoreSet& set) {
  if (count_ == most) return -1;
  sets_[count_] = set;
  return first_number + count_++;
}

bool is_own_semaphore_set(int set) { return sets().find(set) != nullptr; }

// Which keys there are depends on who comes first.
int semaphore_set_find(key_t key, int count, int flags, std::uint64_t site) {
  if (key == IPC_PRIVATE) return make_set(key, count, site);
  execution.point(OperationKind::initialise, &sets(), site);
  const int found = sets().number_of(key);
  if (found < 0 && (flags & IPC_CREAT) == 0) return find_elsewhere(key, count, flags, site);
  if (found < 0) return make_set(key, count, site);
  if ((flags & IPC_CREAT) != 0 && (flags & IPC_EXCL) != 0) return -EEXIST;
  return count > sets().find(found)->count ? -EINVAL : found;
}

// Who waits for one of them goes on, and finds that it is gone.
int semaphore_set_remove(int set, std::uint64_t site) {
  SemaphoreSet* found = sets().find(set);
  if (found == nullptr) return -EINVAL;
  const SemaphoreSet removed = *found;
  found->semaphores = nullptr;
  for (int i = 0; i < removed.count; ++i) {
    semaphore_assign(removed.semaphores + i, largest_value, site);
  }
  return 0;
}

int semaphore_set_value(int set, int number, std::uint64_t site) {
  sem_t* semaphore = semaphore_of(set, number);
  return semaphore == nullptr ? -EINVAL : semaphore_value(semaphore, site);
}

int semaphore_set_assign(int set, int number, int value, std::uint64_t site) {
  sem_t* semaphore = semaphore_of(set, number);
  if (semaphore == nullptr) return -EINVAL;
  if (value < 0 || value > largest_value) return -ERANGE;
  semaphore_assign(semaphore, static_cast<unsigned>(value), site);
  return 0;
}

int semaphore_set_operate(int set, int number, int change, bool waits,
                          const std::uint64_t* deadline, std::uint64_t site) {
  sem_t* semaphore = semaphore_of(set, number);
  if (semaphore == nullptr) return -EFBIG;
  const int error =
      change > 0 ? semaphore_post(semaphore, site) : take(semaphore, waits, deadline, site);
  if (sets().find(set) == nullptr) return -EIDRM;
  return error == ETIMEDOUT ? -EAGAIN : -error;
}

}  // namespace ricercar::inline threads
