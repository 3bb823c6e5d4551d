#include "threads/cleanup.h"

#include <pthread.h>

#include <csetjmp>

namespace ricercar::inline threads {

// glibc's buffer has room for four words of the implementation's own: the first links the chain.
struct CleanupFrame {
  __pthread_unwind_buf_t buffer;
};

void cleanup_push(Task& task, void* buffer) {
  auto* frame = static_cast<CleanupFrame*>(buffer);
  frame->buffer.__pad[0] = task.cleanup;
  task.cleanup = frame;
}

void cleanup_pop(Task& task, void* buffer) {
  auto* frame = static_cast<CleanupFrame*>(buffer);
  task.cleanup = static_cast<CleanupFrame*>(frame->buffer.__pad[0]);
}

void run_cleanup_below(Task& task, std::uint64_t frame) {
  CleanupFrame* innermost = task.cleanup;
  if (innermost == nullptr || reinterpret_cast<std::uint64_t>(innermost) >= frame) return;
  cleanup_pop(task, innermost);
  auto* jump = reinterpret_cast<jmp_buf*>(innermost->buffer.__cancel_jmp_buf);
  _longjmp(*jump, 1);
}

}  // namespace ricercar::inline threads
