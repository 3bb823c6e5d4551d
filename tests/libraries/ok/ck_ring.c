// libck-dev: ck_ring with one producer and one consumer, smaller than what passes through it. It
// has no atomic operation but plain volatile accesses, so that formally they race, and only choice
// points at plain accesses interleave it.
// options: --no-races --points memory
#define CK_USE_CC_BUILTINS 1
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

enum { items = 3, size = 2 };

static ck_ring_t ring;
static ck_ring_buffer_t buffer[size];
static int values[items] = {0, 1, 2};

static void* produce(void* argument) {
  for (int i = 0; i < items; ++i) {
    while (!ck_ring_enqueue_spsc(&ring, buffer, &values[i])) sched_yield();
  }
  return argument;
}

int main(void) {
  ck_ring_init(&ring, size);
  pthread_t producer;
  pthread_create(&producer, NULL, produce, NULL);
  for (int i = 0; i < items; ++i) {
    void* item = NULL;
    while (!ck_ring_dequeue_spsc(&ring, buffer, &item)) sched_yield();
    assert(*(int*)item == i);
  }
  pthread_join(producer, NULL);
  return 0;
}
