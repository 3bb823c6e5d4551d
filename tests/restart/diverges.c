/* An update is lost between two locked parts. What comes before them is decided by a file. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int calls;
static int total;
static int mode;

static void begin(void) {
  if (mode == '2') {
    atomic_fetch_add(&calls, 1); /* found */
    return;
  }
  pthread_mutex_lock(&other); /* expected */
  pthread_mutex_unlock(&other);
}

static void *work(void *argument) {
  begin();
  pthread_mutex_lock(&mutex);
  const int seen = total;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  total = seen + 1;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  FILE *file = fopen("mode", "r");
  assert(file != NULL);
  mode = fgetc(file);
  fclose(file);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(total == 2);
  return 0;
}
