// Grown buffer in C: a writer keeps the address of a buffer while another thread replaces it by a
// larger one; then the writer changes freed memory. Every access is locked, so nothing races.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* buffer = NULL;

static char* address(void) {
  pthread_mutex_lock(&mutex);
  char* const result = buffer;   // <- why: reads
  pthread_mutex_unlock(&mutex);  // <- why: unlocks
  return result;
}

static void* write_first(void* argument) {
  char* const bytes = address();
  pthread_mutex_lock(&mutex);
  bytes[0] = 'b';  // <- bug: writes // <- why: writes
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void* grow(void* argument) {
  pthread_mutex_lock(&mutex);
  char* const larger = malloc(1 << 16);
  larger[0] = buffer[0];
  free(buffer);  // <- bug: frees // <- why: frees
  buffer = larger;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t writer;
  pthread_t grower;
  buffer = calloc(16, 1);
  pthread_create(&writer, NULL, write_first, NULL);
  pthread_create(&grower, NULL, grow, NULL);
  pthread_join(writer, NULL);
  pthread_join(grower, NULL);
  free(buffer);
  return 0;
}
