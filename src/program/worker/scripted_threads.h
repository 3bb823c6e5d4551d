// Threads of a scripted execution.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace ricercar::inline worker {

template <typename Body>
void* call_as_thread(void* body) {
  (*static_cast<Body*>(body))();
  return nullptr;
}

// Threads T1, T2, ... that run these, and are joined.
template <typename... Bodies>
void run_threads(Bodies... bodies) {
  pthread_t threads[sizeof...(bodies)];
  std::size_t count = 0;
  (pthread_create(&threads[count++], nullptr, call_as_thread<Bodies>, &bodies), ...);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}

}  // namespace ricercar::inline worker
