// liburcu-dev: read-copy-update. A reader looks at a configuration while a writer replaces it and
// frees the old one after a grace period. The library's own code is not under control, only its
// locks, futexes and polls are; its inline functions use volatile accesses, so formally they race.
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
    assert(seen->width == seen->height);
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
  urcu_mb_synchronize_rcu();
  free(old);
  pthread_join(reader, NULL);
  free(current);
  return 0;
}
