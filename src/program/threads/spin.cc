#include "threads/spin.h"

#include <cstring>

#include "base/random.h"
#include "threads/execution.h"

extern "C" {
ricercar::EntryRegisters ricercar_entry_registers __attribute__((visibility("hidden")));
}

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t max_stack = 64 << 10;  // deeper stacks are not compared

// 0: cannot tell.
std::uint64_t local_state(const Task& task) {
  const EntryRegisters& registers = ricercar_entry_registers;
  const auto low = reinterpret_cast<std::uint64_t>(task.fiber->stack.low);
  const std::uint64_t high = low + task.fiber->stack.size;
  if (registers.rsp < low || registers.rsp >= high || high - registers.rsp > max_stack) return 0;
  std::uint64_t hash = mix64(registers.rsp ^ (std::uint64_t{task.held_locks} << 48));
  for (const std::uint64_t value :
       {registers.rbx, registers.rbp, registers.r12, registers.r13, registers.r14, registers.r15}) {
    hash = mix64(hash ^ value);
  }
  for (std::uint64_t at = registers.rsp; at + 8 <= high; at += 8) {
    hash = (hash ^ *reinterpret_cast<const std::uint64_t*>(at)) * 0x9fb21c651e98df25ULL;
    hash ^= hash >> 35;
  }
  return hash | 1;
}

}  // namespace

void long_look(Task& task) {
  const std::uint64_t others = execution.turns.writes() - task.writes;
  if (others == task.spin.others_before) execution.scheduler().yielded();
  task.spin.others_before = others;
}

void check_spin_slow(Task& task) {
  const std::uint64_t state = local_state(task);
  SpinAnchor& anchor = task.spin;
  const std::uint64_t others = execution.turns.writes() - task.writes;
  if (state != 0 && state == anchor.state && others == anchor.others) {
    // Who holds a lock now but lets it go on the way round must not be stopped here: the others
    // need the lock. It will come by without it.
    const bool gives_way = task.held_locks != 0 && task.releases != anchor.releases;
    if (gives_way) {
      ++anchor.count;
    } else {
      execution.turns.spins(task.id);
    }
    return;
  }
  anchor.state = state;
  anchor.releases = task.releases;
  anchor.others = others;
  anchor.count = 0;
}

}  // namespace ricercar::inline threads
