// Cancelling threads (pthread_cancel). A request is taken at the next cancellation point of the
// thread, also one in which it waits already; it then ends as by pthread_exit, with its cleanup
// handlers and destructors.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "threads/program_state.h"
#include "threads/task.h"

namespace ricercar::inline threads {

int thread_cancel(pthread_t handle, std::uint64_t site);
int set_cancel_state(int state, int* old);
int set_cancel_type(int type, int* old);

void enter_cancellation_point(std::uint64_t site);
void leave_cancellation_point();

// A primitive in which a thread can be cancelled begins and ends with these.
inline void cancellation_begins(std::uint64_t site) {
  if (__builtin_expect(program_state.imports.cancels, 0)) enter_cancellation_point(site);
}
inline void cancellation_ends() {
  if (__builtin_expect(program_state.imports.cancels, 0)) leave_cancellation_point();
}

}  // namespace ricercar::inline threads
