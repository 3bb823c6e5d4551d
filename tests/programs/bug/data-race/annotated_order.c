// A flag that is read and written with relaxed order hands over plain data. Only the one that gives
// says so to the race detector, so the data is not ordered. The repaired twin is
// ok/annotated_order.c.
#include <assert.h>
#include <pthread.h>
#include <ricercar/abi.h>
#include <sanitizer/tsan_interface.h>
#include <sched.h>
#include <stddef.h>

void AnnotateHappensBefore(const char* file, int line, const volatile void* object);

static int flag;
static int is_dynamic;
static int data;

static void* give(void* unused) {
  data = 42;  // <- bug: writes
  if (is_dynamic) AnnotateHappensBefore(__FILE__, __LINE__, &flag);
  if (!is_dynamic) __tsan_release(&flag);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return unused;
}

int main(void) {
  is_dynamic = (int)ricercar_choose(2);
  pthread_t giver;
  pthread_create(&giver, NULL, give, NULL);
  while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) sched_yield();
  assert(data == 42);  // <- bug: reads
  pthread_join(giver, NULL);
  return 0;
}
