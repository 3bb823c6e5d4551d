// A worker looks whether the library is still there before it asks for what it keeps under the
// library's thread key; main shuts the library down.
//
// Bug: the key may be deleted between looking and asking.
#include <pthread.h>
#include <stdatomic.h>

static pthread_key_t key;
static atomic_int is_open = 1;

static void* work(void* unused) {
  if (is_open) pthread_getspecific(key);  // <- bug: fails
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_key_create(&key, NULL);
  pthread_create(&worker, NULL, work, NULL);
  is_open = 0;
  pthread_key_delete(key);  // <- bug: destroys
  pthread_join(worker, NULL);
  return 0;
}
