// An atomic structure of C, of 20 bytes: two threads change it by compare-exchange. Correct: no
// change is lost. The bug twin is bug/assertion/atomic_struct.c.
// libraries: -latomic
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef __clang__
#pragma clang diagnostic ignored "-Watomic-alignment"
#endif

struct totals {
  int parts[5];
};

static _Atomic struct totals totals;

static void* add(void* unused) {
  struct totals seen = atomic_load(&totals);
  struct totals next;
  do {
    next = seen;
    ++next.parts[4];
  } while (!atomic_compare_exchange_strong(&totals, &seen, next));
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, add, NULL);
  add(NULL);
  pthread_join(other, NULL);
  struct totals end = atomic_load(&totals);
  assert(end.parts[4] == 2);
  return 0;
}
