// Spin locks: two threads increment a plain counter under a pthread_spinlock_t, one of them with
// trylock and a plain lock where that fails.
#include <pthread.h>

#include <cassert>
#include <cerrno>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_spinlock_t lock;
int counter = 0;

void* increment(void*) {
  expect(0, pthread_spin_lock(&lock));
  ++counter;
  expect(0, pthread_spin_unlock(&lock));
  return nullptr;
}

void* try_to_increment(void*) {
  const int result = pthread_spin_trylock(&lock);
  assert(result == 0 || result == EBUSY);
  if (result == EBUSY) expect(0, pthread_spin_lock(&lock));
  ++counter;
  expect(0, pthread_spin_unlock(&lock));
  return nullptr;
}

}  // namespace

int main() {
  expect(0, pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  pthread_t one;
  pthread_t two;
  expect(0, pthread_create(&one, nullptr, increment, nullptr));
  expect(0, pthread_create(&two, nullptr, try_to_increment, nullptr));
  expect(0, pthread_join(one, nullptr));
  expect(0, pthread_join(two, nullptr));
  assert(counter == 2);
  expect(0, pthread_spin_destroy(&lock));
  return 0;
}
