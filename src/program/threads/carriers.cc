#include "threads/carriers.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "threads/clean_stack.h"
#include "threads/memory/signal_state.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t least_thread_stack = 1 << 20;

// What is above this call on the stack belongs to the thread library.
void enter_thread(Task& task) {
  task.kernel_id = static_cast<int>(system_call(SYS_gettid));
  task.fiber->context.thread_pointer = current_thread_pointer();
  char* high = static_cast<char*>(__builtin_frame_address(0));
  task.fiber->stack = {high - least_thread_stack, least_thread_stack};
}

}  // namespace

// --- Fibers ---

void Carriers::prepare(Task& task, std::size_t stack_size, bool cleans_all) {
  const bool is_main = task.creator == no_task;
  task.fiber = &fibers_[index(task.id)];
  if (is_main) search_.thread_pointer = current_thread_pointer();
  if (are_threads()) {
    const bool is_there = std::exchange(task.reserved, false);
    if (!is_main && !is_there) start_thread(task, stack_size);
    return;
  }
  prepare_fiber(*task.fiber, index(task.id), stack_size, !is_main);
  if (is_main) task.fiber->context.thread_pointer = search_.thread_pointer;
  if (cleans_all) {
    clean_stack(*task.fiber);
  } else {
    clean_top(*task.fiber);
  }
  start_fiber(*task.fiber, entry_);
}

pthread_t Carriers::reserve(Task& task, std::uint32_t slot, Backend backend,
                            std::size_t stack_size) {
  task.fiber = &fibers_[slot];
  if (backend == Backend::threads) {
    task.reserved = true;
    start_thread(task, stack_size);
  } else {
    prepare_fiber(*task.fiber, slot, stack_size, true);
  }
  return task.fiber->lender;
}

void Carriers::prepare_lenders(std::uint32_t tasks) {
  for (std::uint32_t i = 1; i < std::min(tasks, max_tasks); ++i) {
    if (fibers_[i].lender == 0) prepare_fiber(fibers_[i], i, default_stack_size, true);
  }
}

// --- Kernel threads ---

void Carriers::enter_on_this_thread(Task& main) {
  enter_thread(main);
  entry_();
}

void Carriers::start_thread(Task& task, std::size_t stack_size) const {
  const OutOfControl runtime;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::max(stack_size, least_thread_stack));
  task.handover = 0;
  task.entry = entry_;
  pthread_t thread;
  RICERCAR_CHECK(real_pthread_create(&thread, &attributes, thread_entry, &task) == 0);
  pthread_attr_destroy(&attributes);
  task.fiber->lender = thread;
}

void* Carriers::thread_entry(void* argument) {
  auto& task = *static_cast<Task*>(argument);
  enter_thread(task);
  use_handler_stack();
  controlled_flag = true;
  await_turn(task);
  task.entry();
  return nullptr;
}

void Carriers::await_turn(Task& task) {
  while (__atomic_exchange_n(&task.handover, 0, __ATOMIC_ACQUIRE) == 0) {
    system_call(SYS_futex, reinterpret_cast<long>(&task.handover), FUTEX_WAIT_PRIVATE, 0);
  }
}

void Carriers::hand_over(Task* from, Task* to) const {
  if (switch_hook != nullptr) switch_hook();
  // Another thread may take the task's place as soon as the next one runs, so this one must not
  // wait there. The first thread stays: debuggers and timers know the process by it.
  const bool leaves = from->state == TaskState::ended && from->creator != no_task;
  __atomic_store_n(&to->handover, 1, __ATOMIC_RELEASE);
  system_call(SYS_futex, reinterpret_cast<long>(&to->handover), FUTEX_WAKE_PRIVATE, 1);
  if (leaves) system_call(SYS_exit, 0);
  await_turn(*from);
}

}  // namespace ricercar::inline threads
