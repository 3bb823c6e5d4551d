// liburcu-dev: read-copy-update without the grace period: the writer frees the old configuration at
// once, while the reader may still look at it. The library is not under control, see ok/urcu.c.
// options: --no-races --points memory
// libraries: -lurcu-mb
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu/urcu-mb.h>

struct Configuration {
  int width;
  int height;
};

static struct Configuration* current;

static struct Configuration* make(int size) {
  struct Configuration* made = malloc(sizeof *made);
  made->width = size;
  made->height = size;
  return made;
}

static void* read_twice(void* argument) {
  urcu_mb_register_thread();
  for (int i = 0; i < 2; ++i) {
    urcu_mb_read_lock();
    const struct Configuration* seen = rcu_dereference(current);
    assert(seen->width == seen->height);  // <- bug: reads
    urcu_mb_read_unlock();
  }
  urcu_mb_unregister_thread();
  return argument;
}

int main(void) {
  current = make(1);
  pthread_t reader;
  pthread_create(&reader, NULL, read_twice, NULL);
  struct Configuration* old = rcu_xchg_pointer(&current, make(2));
  free(old);  // <- bug: frees
  pthread_join(reader, NULL);
  free(current);
  return 0;
}
