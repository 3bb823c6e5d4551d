// A C11 thread that is joined only if main finds it unfinished.
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

static atomic_int finished = 0;

static int work(void* argument) {
  (void)argument;
  finished = 1;
  return 0;
}

int main(void) {
  thrd_t worker;
  thrd_create(&worker, work, NULL);  // <- bug: creates
  if (!finished) thrd_join(worker, NULL);
  return 0;
}
