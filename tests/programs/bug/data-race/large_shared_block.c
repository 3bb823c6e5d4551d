// Two threads fill one block of 32 MB, and nothing orders them: every schedule shows it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { megabyte = 1 << 20, size = 32 * megabyte };

static char *block;

static void *fill(void *argument) {
  memset(block, *(const char *)argument, size);  // <- bug: writes
  return NULL;
}

int main(void) {
  block = malloc(size);
  assert(block != NULL);
  char values[2] = {'a', 'b'};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, fill, &values[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(block[0] != 0);
  free(block);
  return 0;
}
