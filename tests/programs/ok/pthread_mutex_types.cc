// Mutex types: normal, recursive, error-checking and adaptive mutexes protect a counter; the
// recursive one nests, and the error-checking one refuses its owner a second lock.
#include <pthread.h>

#include <cassert>
#include <cerrno>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_mutex_t mutex;
int counter = 0;

void* increment(void*) {
  expect(0, pthread_mutex_lock(&mutex));
  ++counter;
  expect(0, pthread_mutex_unlock(&mutex));
  return nullptr;
}

void* expect_busy(void*) {
  expect(EBUSY, pthread_mutex_trylock(&mutex));
  return nullptr;
}

void run_to_end(void* (*body)(void*)) {
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, body, nullptr));
  expect(0, pthread_join(thread, nullptr));
}

void check(int type) {
  pthread_mutexattr_t attributes;
  expect(0, pthread_mutexattr_init(&attributes));
  expect(0, pthread_mutexattr_settype(&attributes, type));
  expect(0, pthread_mutex_init(&mutex, &attributes));
  expect(0, pthread_mutexattr_destroy(&attributes));

  counter = 0;
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, increment, nullptr));
  increment(nullptr);
  expect(0, pthread_join(thread, nullptr));
  assert(counter == 2);

  expect(0, pthread_mutex_trylock(&mutex));
  if (type == PTHREAD_MUTEX_ERRORCHECK) expect(EDEADLK, pthread_mutex_lock(&mutex));
  if (type == PTHREAD_MUTEX_RECURSIVE) {
    expect(0, pthread_mutex_lock(&mutex));
    expect(0, pthread_mutex_trylock(&mutex));
    expect(0, pthread_mutex_unlock(&mutex));
    expect(0, pthread_mutex_unlock(&mutex));
  }
  run_to_end(expect_busy);
  expect(0, pthread_mutex_unlock(&mutex));
  expect(0, pthread_mutex_destroy(&mutex));
}

}  // namespace

int main() {
  check(PTHREAD_MUTEX_NORMAL);
  check(PTHREAD_MUTEX_RECURSIVE);
  check(PTHREAD_MUTEX_ERRORCHECK);
  check(PTHREAD_MUTEX_ADAPTIVE_NP);
  return 0;
}
