// pthread_exit in main: its cleanup handler runs and opens the gate, the process lives until the
// last thread has ended, and then the exit handlers run. The status is 0.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <cstdlib>

namespace {

void expect(int expected, int result) { assert(result == expected); }

sem_t gate;
std::atomic<bool> worked = false;

void open_gate(void*) { expect(0, sem_post(&gate)); }

void* work(void*) {
  expect(0, sem_wait(&gate));
  worked = true;
  return nullptr;
}

void check() { assert(worked); }

}  // namespace

int main() {
  expect(0, std::atexit(check));
  expect(0, sem_init(&gate, 0, 0));
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, work, nullptr));
  expect(0, pthread_detach(thread));
  pthread_cleanup_push(open_gate, nullptr);
  pthread_exit(nullptr);
  pthread_cleanup_pop(0);
}
