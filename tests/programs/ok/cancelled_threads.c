// Threads that are cancelled while they wait: on a condition variable (which takes its mutex back),
// at a semaphore, in a sleep, in a read, in a join; and at the next cancellation point if they run.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t none;
static int ends[2];
static int cleaned;

static void unlock(void *lock) {
  cleaned++;
  pthread_mutex_unlock(lock);
}

static void *wait_on_condition(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

static void *wait_on_semaphore(void *unused) {
  sem_wait(&none);
  return unused;
}

static void *sleep_long(void *unused) {
  for (;;) sleep(1000);
  return unused;
}

static void *read_nothing(void *unused) {
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  return unused;
}

static void *test_only(void *unused) {
  for (;;) {
    pthread_testcancel();
    usleep(1);
  }
  return unused;
}

static void is_cancelled(void *(*routine)(void *)) {
  pthread_t thread;
  void *result = 0;
  pthread_create(&thread, 0, routine, 0);
  assert(pthread_cancel(thread) == 0);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
}

static int kept;

static void *refuse_at_first(void *unused) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  assert(old == PTHREAD_CANCEL_ENABLE);
  usleep(10);
  kept = 1;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  assert(old == PTHREAD_CANCEL_DISABLE);
  pthread_testcancel();
  kept = 2;
  return unused;
}

static void may_be_refused(void) {
  pthread_t thread;
  void *result = 0;
  pthread_create(&thread, 0, refuse_at_first, &kept);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(kept == (result == PTHREAD_CANCELED ? 1 : 2));
}

int main(void) {
  assert(pipe(ends) == 0);
  sem_init(&none, 0, 0);
  is_cancelled(wait_on_condition);
  assert(cleaned <= 1 && pthread_mutex_trylock(&mutex) == 0);
  pthread_mutex_unlock(&mutex);
  is_cancelled(wait_on_semaphore);
  is_cancelled(sleep_long);
  is_cancelled(read_nothing);
  is_cancelled(test_only);
  may_be_refused();
  return 0;
}
