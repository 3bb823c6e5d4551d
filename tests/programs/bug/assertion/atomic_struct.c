// An atomic structure of C, of 20 bytes: two threads read it, change it and write it back. One
// change is lost if both read before one writes. The repaired twin is ok/atomic_struct.c.
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
  struct totals seen = atomic_load(&totals);  // <- why: reads
  ++seen.parts[4];
  atomic_store(&totals, seen);  // <- why: writes
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, add, NULL);
  add(NULL);
  pthread_join(other, NULL);
  struct totals end = atomic_load(&totals);
  assert(end.parts[4] == 2);  // <- bug: fails
  return 0;
}
