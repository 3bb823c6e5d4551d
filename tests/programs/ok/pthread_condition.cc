// Condition variables: a signal hands one item to a consumer, and a broadcast lets both consumers
// go. Correct: every wait is in a loop over its condition.
#include <pthread.h>

#include <cassert>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
pthread_cond_t closed_changed;
int items = 0;
int taken = 0;
bool closed = false;

void* consume(void*) {
  expect(0, pthread_mutex_lock(&mutex));
  while (items == 0) expect(0, pthread_cond_wait(&filled, &mutex));
  --items;
  ++taken;
  while (!closed) expect(0, pthread_cond_wait(&closed_changed, &mutex));
  expect(0, pthread_mutex_unlock(&mutex));
  return nullptr;
}

void produce() {
  expect(0, pthread_mutex_lock(&mutex));
  ++items;
  expect(0, pthread_cond_signal(&filled));
  expect(0, pthread_mutex_unlock(&mutex));
}

}  // namespace

int main() {
  expect(0, pthread_cond_init(&closed_changed, nullptr));
  pthread_t one;
  pthread_t two;
  expect(0, pthread_create(&one, nullptr, consume, nullptr));
  expect(0, pthread_create(&two, nullptr, consume, nullptr));
  produce();
  produce();
  expect(0, pthread_mutex_lock(&mutex));
  closed = true;
  expect(0, pthread_cond_broadcast(&closed_changed));
  expect(0, pthread_mutex_unlock(&mutex));
  expect(0, pthread_join(one, nullptr));
  expect(0, pthread_join(two, nullptr));
  assert(taken == 2 && items == 0);
  expect(0, pthread_cond_destroy(&closed_changed));
  expect(0, pthread_cond_destroy(&filled));
  expect(0, pthread_mutex_destroy(&mutex));
  return 0;
}
