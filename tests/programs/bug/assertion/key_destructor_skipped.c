// A worker keeps a resource under a thread key, whose destructor gives it back.
//
// Bug: main deletes the key before it waits for the worker. Then nobody calls the destructor.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_key_t key;
static sem_t is_taken;
static atomic_int resources = 1;
static int resource;

static void give_back(void* unused) {
  (void)unused;
  ++resources;
}

static void* work(void* unused) {
  --resources;
  pthread_setspecific(key, &resource);
  sem_post(&is_taken);
  return unused;
}

int main(void) {
  pthread_t worker;
  sem_init(&is_taken, 0, 0);
  pthread_key_create(&key, give_back);
  pthread_create(&worker, NULL, work, NULL);
  sem_wait(&is_taken);
  pthread_key_delete(key);
  pthread_join(worker, NULL);
  assert(resources == 1);  // <- bug: fails
  return 0;
}
