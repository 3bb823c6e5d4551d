// Barriers: two threads pass a barrier twice; in each phase exactly one is told that it is the
// serial thread, and what was written before the barrier is seen after it.
#include <pthread.h>

#include <atomic>
#include <cassert>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_barrier_t barrier;
int written[2] = {0, 0};
std::atomic<int> serial_threads = 0;

void pass() {
  const int result = pthread_barrier_wait(&barrier);
  assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  if (result == PTHREAD_BARRIER_SERIAL_THREAD) ++serial_threads;
}

void run(int me) {
  for (int phase = 1; phase <= 2; ++phase) {
    written[me] = phase;
    pass();
    assert(written[1 - me] == phase);
    pass();
  }
}

void* run_second(void*) {
  run(1);
  return nullptr;
}

}  // namespace

int main() {
  expect(0, pthread_barrier_init(&barrier, nullptr, 2));
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, run_second, nullptr));
  run(0);
  expect(0, pthread_join(thread, nullptr));
  assert(serial_threads == 4);
  expect(0, pthread_barrier_destroy(&barrier));
  return 0;
}
