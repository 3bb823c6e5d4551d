// A worker looks whether the library is still there before it asks for what it keeps under the
// library's thread key; main shuts the library down.
//
// A mutex keeps looking and asking together.
#include <pthread.h>

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  if (is_open) pthread_getspecific(key);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_key_create(&key, NULL);
  pthread_create(&worker, NULL, work, NULL);
  pthread_mutex_lock(&mutex);
  is_open = 0;
  pthread_key_delete(key);
  pthread_mutex_unlock(&mutex);
  pthread_join(worker, NULL);
  return 0;
}
