// A fiber of the program's own runs on one thread; another thread touches its data without being on
// it, and the threads know of each other by relaxed atomics only. The repaired twin is
// ok/annotated_fiber.c.
#include <assert.h>
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <sched.h>
#include <stddef.h>

static void* fiber;
static int is_left;
static int data;

static void run_fiber(void) {
  void* own = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber, 0);
  ++data;  // <- bug: reads, writes
  __tsan_switch_to_fiber(own, 0);
}

static void* first_thread(void* unused) {
  ++data;  // <- bug: reads, writes
  __atomic_store_n(&is_left, 1, __ATOMIC_RELAXED);
  return unused;
}

int main(void) {
  fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, "wanderer");
  pthread_t first;
  pthread_create(&first, NULL, first_thread, NULL);
  while (!__atomic_load_n(&is_left, __ATOMIC_RELAXED)) sched_yield();
  run_fiber();
  pthread_join(first, NULL);
  assert(data == 2);
  __tsan_destroy_fiber(fiber);
  return 0;
}
