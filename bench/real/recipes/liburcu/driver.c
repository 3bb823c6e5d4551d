// A reader looks at a record; a writer replaces it, waits for a grace period and frees the old one.
#ifdef FLAVOUR_mb
#include <urcu/urcu-mb.h>
#define FLAVOUR(name) urcu_mb_##name
#else
#include <urcu/urcu-qsbr.h>
#define FLAVOUR(name) urcu_qsbr_##name
#endif
#include <pthread.h>
#include <stdlib.h>

struct record {
  int first, second;
};

static struct record* current;

static struct record* make(int value) {
  struct record* result = malloc(sizeof(*result));
  result->first = result->second = value;
  return result;
}

static void* reader(void* unused) {
  FLAVOUR(register_thread)();
  FLAVOUR(read_lock)();
  struct record* record = rcu_dereference(current);
  if (record->first != record->second) abort();
  FLAVOUR(read_unlock)();
  FLAVOUR(unregister_thread)();
  return unused;
}

static void* writer(void* unused) {
  struct record* old = current;
  rcu_assign_pointer(current, make(2));
  FLAVOUR(synchronize_rcu)();
  free(old);
  return unused;
}

int main() {
  pthread_t threads[2];
  current = make(1);
  pthread_create(&threads[0], NULL, reader, NULL);
  pthread_create(&threads[1], NULL, writer, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  free(current);
}
