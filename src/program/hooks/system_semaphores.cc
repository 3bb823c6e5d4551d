// Hooks: System V semaphores.
#include "threads/system_semaphores.h"

#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include <string>

#include "threads/hook.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory/real_function.h"
#include "threads/node_sockets.h"
#include "threads/process.h"

namespace ricercar::inline hooks {
namespace {

int with_errno(int result) {
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

[[noreturn]] void refuse(const char* what, std::uint64_t site) {
  const std::string message = std::string("the program ") + what + " at " + place_of(site) +
                              ", which is not modelled: of System V semaphores one operation at a "
                              "time is, by 1 or -1. Write it with a mutex and a condition "
                              "variable, or leave it out of the test.";
  stop_search_now(message.c_str());
}

int operate(int set, const sembuf* operations, std::size_t count, const std::uint64_t* deadline,
            std::uint64_t site) {
  if (count != 1) refuse("operates on several semaphores at once (semop)", site);
  const int change = operations->sem_op;
  if (change == 0) refuse("waits until a semaphore is zero (semop)", site);
  if (change != 1 && change != -1) refuse("changes a semaphore by more than one (semop)", site);
  const bool waits = (operations->sem_flg & IPC_NOWAIT) == 0;
  return with_errno(semaphore_set_operate(set, operations->sem_num, change, waits, deadline, site));
}

int control(int set, int number, int command, long argument, std::uint64_t site) {
  switch (command) {
    case IPC_RMID:
      return with_errno(semaphore_set_remove(set, site));
    case GETVAL:
      return with_errno(semaphore_set_value(set, number, site));
    case SETVAL:
      return with_errno(semaphore_set_assign(set, number, static_cast<int>(argument), site));
    default:
      refuse("asks for more than GETVAL, SETVAL and IPC_RMID (semctl)", site);
  }
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK int semget(key_t key, int count, int flags) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(semget)(key, count, flags);
  if (key != IPC_PRIVATE && is_node()) {
    not_modelled("opens System V semaphores by a key: other nodes have others", RICERCAR_SITE());
  }
  return with_errno(semaphore_set_find(key, count, flags, RICERCAR_SITE()));
}
RICERCAR_HOOK int semop(int set, sembuf* operations, size_t count) noexcept {
  if (!controlled() || !is_own_semaphore_set(set)) {
    return RICERCAR_BEHIND(semop)(set, operations, count);
  }
  return operate(set, operations, count, nullptr, RICERCAR_SITE());
}
RICERCAR_HOOK int semtimedop(int set, sembuf* operations, size_t count,
                             const timespec* limit) noexcept {
  if (!controlled() || !is_own_semaphore_set(set)) {
    return RICERCAR_BEHIND(semtimedop)(set, operations, count, limit);
  }
  if (limit == nullptr) return operate(set, operations, count, nullptr, RICERCAR_SITE());
  if (!is_valid(limit)) return with_errno(-EINVAL);
  const std::uint64_t deadline = execution.clock.now() + VirtualClock::to_nanoseconds(*limit);
  return operate(set, operations, count, &deadline, RICERCAR_SITE());
}
RICERCAR_HOOK int semctl(int set, int number, int command, ...) noexcept {
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);  // of union semun: the compiler passes it as one word
  va_end(list);
  if (!controlled() || !is_own_semaphore_set(set)) {
    return RICERCAR_BEHIND(semctl)(set, number, command, argument);
  }
  return control(set, number, command, argument, RICERCAR_SITE());
}
