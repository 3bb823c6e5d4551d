// Fibers: the threads of the program under test, all on one kernel thread. A fiber has a stack at a
// fixed address and the thread-local storage of a *lender*: a real thread that was created once, is
// parked for ever, and lends its TLS block. So `pthread_self`, `errno`, `thread_local` and
// exceptions work as they are. Fibers are pooled across executions: slot n serves the n-th task of
// each of them.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

// What a switch saves: everything else is on the fiber's stack.
struct Context {
  void* stack_pointer = nullptr;
  std::uint64_t thread_pointer = 0;  // the FS base: where the thread-local storage is
};

struct FiberStack {
  char* low = nullptr;  // the guard page is below
  std::size_t size = 0;

  bool contains(std::uint64_t address) const {
    return address - reinterpret_cast<std::uint64_t>(low) < size;
  }
};

struct Fiber {
  Context context;
  FiberStack stack;
  std::uint64_t lender = 0;  // the lender's thread pointer, which is its pthread_t; 0: none yet
  unsigned char* pristine = nullptr;  // the lender's TLS block before anybody used it
  std::uint64_t used = 0;             // the stack is zero below this address: see clean_stack.h
  std::uint32_t uses = 0;             // how many tasks have begun on the stack
};

// Whether the running code is a controlled task. Thread-local, so that a thread which Ricercar does
// not control sees `false`, and a hook that is not active costs one branch.
extern __thread bool controlled_flag __attribute__((tls_model("initial-exec")));
inline bool controlled() { return controlled_flag; }

// What the runtime does for itself: the C library allocates for a new thread, and if the program's
// own malloc serves it, the locks that it takes are not the program's doing.
class OutOfControl {
 public:
  OutOfControl() : before_(controlled_flag) { controlled_flag = false; }
  ~OutOfControl() { controlled_flag = before_; }
  OutOfControl(const OutOfControl&) = delete;
  OutOfControl& operator=(const OutOfControl&) = delete;

 private:
  bool before_;
};

// The thread-local storage that a lender lends.
struct ThreadStorage {
  std::uint64_t address;
  std::size_t size;
};
ThreadStorage storage_of(const Fiber& fiber);

void fibers_initialise();  // once per process, before the first fiber

// The program brings its own malloc, so that a lender's memory is part of what a restart puts back:
// lenders have to be there before the snapshot. After `lenders_made` a new one is known to be lost
// with the next restart.
void lenders_use_program_malloc();
void lenders_made();

std::uint64_t current_thread_pointer();

// Makes sure that slot `slot` has a stack of at least `stack_size` bytes and, if `wants_lender`, a
// lender with fresh thread-local storage.
void prepare_fiber(Fiber& fiber, std::uint32_t slot, std::size_t stack_size, bool wants_lender);
// Sets the context up so that the first switch to it calls `entry`, which must not return.
void start_fiber(Fiber& fiber, void (*entry)());

inline constexpr std::size_t default_stack_size = 8 << 20;
inline constexpr std::size_t max_stack_size = (1 << 30) - (1 << 20);
// The slot whose guard page holds this address, or -1.
int guard_page_owner(std::uint64_t address);

extern "C" void ricercar_switch_stack(void** from, void* to);

#if defined(__x86_64__)
inline void set_thread_pointer_fast(std::uint64_t value) {
  asm volatile("wrfsbase %0" ::"r"(value) : "memory");
}
#else
#error "Ricercar supports x86-64 only"
#endif
void set_thread_pointer_slow(std::uint64_t value);

extern bool thread_pointer_by_instruction;

inline void switch_context(Context& from, const Context& to) {
  if (from.thread_pointer != to.thread_pointer) {
    if (__builtin_expect(thread_pointer_by_instruction, 1)) {
      set_thread_pointer_fast(to.thread_pointer);
    } else {
      set_thread_pointer_slow(to.thread_pointer);
    }
  }
  ricercar_switch_stack(&from.stack_pointer, to.stack_pointer);
}

}  // namespace ricercar::inline threads
