// Two threads fill and read one block of 32 MB in turn, under a lock: whether it is shared is
// learned for the whole of it, not byte by byte.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { megabyte = 1 << 20, size = 32 * megabyte };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *block;

static void *fill(void *argument) {
  pthread_mutex_lock(&mutex);
  memset(block, *(const char *)argument, size);
  assert(block[0] == block[size - 1]);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  block = malloc(size);
  assert(block != NULL);
  char values[2] = {'a', 'b'};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, fill, &values[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(block[0] == block[size - 1]);
  free(block);
  return 0;
}
