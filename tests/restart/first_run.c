/* What the first execution sees is not there any more in the others: a file that does not exist
   yet. The argument says what depends on it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int count;

static void *add(void *argument) {
  const int seen = atomic_load(&count);
  atomic_store(&count, seen + 1);
  return argument;
}

static int is_first(void) {
  if (access("state", F_OK) == 0) return 0;
  FILE *file = fopen("state", "w");
  assert(file != NULL);
  fclose(file);
  return 1;
}

int main(int argument_count, char **arguments) {
  assert(argument_count == 2);
  const int first = is_first();
  const int has_assertion = strstr(arguments[1], "assertion") != NULL;
  assert(!first || !has_assertion);
  const int threads = first ? 1 : 2;
  pthread_t running[2];
  for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, add, NULL);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  assert(strstr(arguments[1], "bug") == NULL || count == threads);
  return 0;
}
