// A worker keeps something under a thread key; main deletes the key at the end.
//
// Bug: main does not join the worker first, which may still use the key.
#include <pthread.h>
#include <stdatomic.h>

static pthread_key_t key;
static atomic_int value = 1;

static void* work(void* unused) {
  static int kept;
  kept = value;
  pthread_setspecific(key, &kept);  // <- bug: fails
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_key_create(&key, NULL);
  pthread_create(&worker, NULL, work, NULL);
  pthread_key_delete(key);  // <- bug: destroys
  pthread_join(worker, NULL);
  return 0;
}
