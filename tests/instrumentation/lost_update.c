/* An update is lost between two accesses that only instrumentation makes visible. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int count;

static void* add(void* unused) {
  const int seen = __atomic_load_n(&count, __ATOMIC_SEQ_CST);
  __atomic_store_n(&count, seen + 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, add, NULL);
  add(NULL);
  pthread_join(other, NULL);
  assert(__atomic_load_n(&count, __ATOMIC_SEQ_CST) == 2);
  return 0;
}
