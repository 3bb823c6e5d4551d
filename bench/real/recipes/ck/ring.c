// One thread fills a ring of four places, two empty it: every item comes out once.
#include <ck_ring.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int items[2] = {1, 2};
static int seen[3];

static void* produce(void* unused) {
  for (int i = 0; i < 2; ++i) {
    while (!ck_ring_enqueue_spmc(&ring, buffer, &items[i])) sched_yield();
  }
  return unused;
}

static void* consume(void* unused) {
  void* item;
  while (!ck_ring_dequeue_spmc(&ring, buffer, &item)) sched_yield();
  __atomic_fetch_add(&seen[*(int*)item], 1, __ATOMIC_RELAXED);
  return unused;
}

int main() {
  pthread_t threads[3];
  ck_ring_init(&ring, 4);
  pthread_create(&threads[0], NULL, produce, NULL);
  for (int i = 1; i < 3; ++i) pthread_create(&threads[i], NULL, consume, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  if (seen[1] != 1 || seen[2] != 1) abort();
}
