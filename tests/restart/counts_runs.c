/* How often the threads count depends on how many executions there were before. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int count;
static int rounds;

static void *work(void *argument) {
  for (int i = 0; i <= rounds; ++i) atomic_fetch_add(&count, 1);
  return argument;
}

int main(void) {
  FILE *file = fopen("runs", "a+");
  if (file == NULL) return 1;
  fputc('x', file);
  rounds = (int)(ftell(file) % 3);
  fclose(file);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
