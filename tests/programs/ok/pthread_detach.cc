// Detached threads: one is created detached, one is detached by main, one detaches itself. Nobody
// joins them; main waits for a semaphore that each posts as its last action.
#include <pthread.h>
#include <semaphore.h>

#include <cassert>

namespace {

void expect(int expected, int result) { assert(result == expected); }

sem_t finished;

void* post(void*) {
  expect(0, sem_post(&finished));
  return nullptr;
}

void* detach_and_post(void*) {
  expect(0, pthread_detach(pthread_self()));
  return post(nullptr);
}

}  // namespace

int main() {
  expect(0, sem_init(&finished, 0, 0));
  pthread_attr_t attributes;
  expect(0, pthread_attr_init(&attributes));
  expect(0, pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
  int state = PTHREAD_CREATE_JOINABLE;
  expect(0, pthread_attr_getdetachstate(&attributes, &state));
  assert(state == PTHREAD_CREATE_DETACHED);

  pthread_t thread;
  expect(0, pthread_create(&thread, &attributes, post, nullptr));
  expect(0, pthread_attr_destroy(&attributes));
  expect(0, pthread_create(&thread, nullptr, post, nullptr));
  expect(0, pthread_detach(thread));
  expect(0, pthread_create(&thread, nullptr, detach_and_post, nullptr));
  for (int i = 0; i < 3; ++i) expect(0, sem_wait(&finished));
  return 0;
}
