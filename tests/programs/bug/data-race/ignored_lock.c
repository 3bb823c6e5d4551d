// Two threads count under a mutex, but one of them tells the race detector that what it locks
// orders nothing. The repaired twin is ok/ignored_lock.c.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void AnnotateIgnoreSyncBegin(const char* file, int line);
void AnnotateIgnoreSyncEnd(const char* file, int line);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* add(void* unused) {
  pthread_mutex_lock(&mutex);
  ++count;  // <- bug: reads, writes
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, add, NULL);
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  add(NULL);
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  pthread_join(other, NULL);
  assert(count == 2);
  return 0;
}
