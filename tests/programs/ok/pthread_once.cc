// pthread_once: two threads and main ask for the initialisation; it runs once, and its writes are
// seen by all.
#include <pthread.h>

#include <cassert>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_once_t once = PTHREAD_ONCE_INIT;
int initialisations = 0;

void initialise() { ++initialisations; }

void* use(void*) {
  expect(0, pthread_once(&once, initialise));
  assert(initialisations == 1);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t one;
  pthread_t two;
  expect(0, pthread_create(&one, nullptr, use, nullptr));
  expect(0, pthread_create(&two, nullptr, use, nullptr));
  use(nullptr);
  expect(0, pthread_join(one, nullptr));
  expect(0, pthread_join(two, nullptr));
  return 0;
}
