// What tasks run on: fibers on one kernel thread, or kernel threads that hand over to each other so
// that one runs at a time (for debuggers). Slot n carries the n-th task of every execution.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "model/options.h"
#include "threads/fiber.h"
#include "threads/task.h"

namespace ricercar::inline threads {

class Carriers {
 public:
  // `entry` runs the task that is current then, and does not return.
  explicit Carriers(void (*entry)()) : entry_(entry) {}

  void use(Backend backend) { backend_ = backend; }
  bool are_threads() const { return backend_ == Backend::threads; }
  // Before any execution: the handle that the task of this slot will have in every one of them.
  pthread_t reserve(Task& task, std::uint32_t slot, Backend backend, std::size_t stack_size);
  // Makes the lenders of so many tasks, so that forked children need not.
  void prepare_lenders(std::uint32_t tasks);

  // For a new task. `cleans_all`: its whole stack is emptied, not only the top.
  void prepare(Task& task, std::size_t stack_size, bool cleans_all);
  // Its stack and thread-local storage will be another task's, as fresh memory. On kernel threads
  // each one has its own.
  template <typename Forget>
  void forget_memory(const Task& ended, Forget forget) const {
    if (are_threads()) return;
    const FiberStack& stack = ended.fiber->stack;
    const ThreadStorage storage = storage_of(*ended.fiber);
    forget(reinterpret_cast<std::uint64_t>(stack.low), stack.size);
    forget(storage.address, storage.size);
  }

  // From the search to the main task, and back again. The second function returns in place of the
  // first; on kernel threads the first does not return. Not functions of their own: the processor
  // does not foresee where a function returns to behind a switch.
  [[gnu::always_inline]] void enter(Task& main) {
    if (are_threads()) enter_on_this_thread(main);
    switch_context(search_, main.fiber->context);
  }
  [[noreturn, gnu::always_inline]] void leave(const Task& from) {
    if (finish_hook != nullptr) finish_hook();
    Context abandoned;
    abandoned.thread_pointer = from.fiber->context.thread_pointer;
    switch_context(abandoned, search_);
    __builtin_unreachable();
  }

  void switch_tasks(Task* from, Task* to) {
    if (__builtin_expect(are_threads(), 0)) {
      hand_over(from, to);
    } else {
      switch_context(from->fiber->context, to->fiber->context);
    }
  }

  // Called instead of going back to the search when an execution ends (on kernel threads).
  void (*finish_hook)() = nullptr;
  // Called before a kernel thread hands over to another one.
  void (*switch_hook)() = nullptr;

 private:
  void enter_on_this_thread(Task& main);
  void hand_over(Task* from, Task* to) const;
  static void await_turn(Task& task);
  static void* thread_entry(void* task);
  void start_thread(Task& task, std::size_t stack_size) const;

  Backend backend_ = Backend::fibers;
  void (*entry_)();
  Context search_;
  Fiber fibers_[max_tasks];
};

}  // namespace ricercar::inline threads
