// The system calls of futexes.
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <string>

#include "threads/execution.h"
#include "threads/futex.h"
#include "threads/hook.h"
#include "threads/system_call.h"

namespace ricercar::inline hooks {
namespace {

constexpr long futex_waitv_number = 449;
constexpr std::uint32_t most_words = 128;

struct TimeOfCall {
  const std::uint64_t* get() const { return is_set ? &moment : nullptr; }
  std::uint64_t moment = 0;
  bool is_set = false;
};

TimeOfCall time_from_now(const timespec* time) {
  if (time == nullptr) return {};
  return {execution.clock.now() + VirtualClock::to_nanoseconds(*time), true};
}
TimeOfCall time_on(clockid_t clock, const timespec* time) {
  if (time == nullptr) return {};
  return {moment(clock, time), true};
}

std::uint32_t* word_at(long argument) { return reinterpret_cast<std::uint32_t*>(argument); }
std::uint32_t number(long argument) { return static_cast<std::uint32_t>(argument); }

[[noreturn]] void not_modelled(int operation, std::uint64_t site) {
  execution.fail(OutcomeKind::hang,
                 "futex operation " + std::to_string(operation) + " is not modelled by Ricercar",
                 site);
}

long operate(const SystemCall& call, std::uint64_t site) {
  const long* arguments = call.arguments;
  std::uint32_t* word = word_at(arguments[0]);
  const int flags = static_cast<int>(arguments[1]);
  const auto value = number(arguments[2]);
  const auto* time = reinterpret_cast<const timespec*>(arguments[3]);
  const auto expected = number(arguments[5]);
  const clockid_t clock = (flags & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  switch (flags & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return futex_wait(word, value, time_from_now(time).get(), ~0U, site);
    case FUTEX_WAIT_BITSET:
      return futex_wait(word, value, time_on(clock, time).get(), expected, site);
    case FUTEX_WAKE:
      return futex_wake(word, value, ~0U, site);
    case FUTEX_WAKE_BITSET:
      return futex_wake(word, value, expected, site);
    case FUTEX_REQUEUE:
      return futex_requeue({word, value, number(arguments[3]), word_at(arguments[4]), nullptr},
                           site);
    case FUTEX_CMP_REQUEUE:
      return futex_requeue({word, value, number(arguments[3]), word_at(arguments[4]), &expected},
                           site);
    case FUTEX_WAKE_OP:
      return futex_wake_operation(
          {word, value, word_at(arguments[4]), number(arguments[3]), expected}, site);
    case FUTEX_LOCK_PI:
      return pi_lock(word, time_on(CLOCK_REALTIME, time).get(), site);
    case FUTEX_LOCK_PI2:
      return pi_lock(word, time_on(clock, time).get(), site);
    case FUTEX_TRYLOCK_PI:
      return pi_try_lock(word, site);
    case FUTEX_UNLOCK_PI:
      return pi_unlock(word, site);
    default:
      not_modelled(flags & FUTEX_CMD_MASK, site);
  }
}

long wait_for_words(const SystemCall& call, std::uint64_t site) {
  const auto* given = reinterpret_cast<const futex_waitv*>(call.arguments[0]);
  const auto count = number(call.arguments[1]);
  const auto* time = reinterpret_cast<const timespec*>(call.arguments[3]);
  if (count == 0 || count > most_words || call.arguments[2] != 0) {
    errno = EINVAL;
    return -1;
  }
  WaitedWord words[most_words];
  for (std::uint32_t i = 0; i < count; ++i) {
    words[i] = {word_at(static_cast<long>(given[i].uaddr)),
                static_cast<std::uint32_t>(given[i].val)};
  }
  const auto clock = static_cast<clockid_t>(call.arguments[4]);
  return futex_wait_any({words, count}, time_on(clock, time).get(), site);
}

}  // namespace

}  // namespace ricercar::inline hooks

namespace ricercar::inline threads {

bool futex_call(const SystemCall& call, std::uint64_t site, long& result) {
  if (call.number != SYS_futex && call.number != futex_waitv_number) return false;
  result = call.number == SYS_futex ? operate(call, site) : wait_for_words(call, site);
  return true;
}

}  // namespace ricercar::inline threads
