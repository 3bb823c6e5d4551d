// A lock with the kernel's help: the word holds the number of the owner's thread.
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint32_t word;
static int shared;

static uint32_t own_number(void) { return (uint32_t)syscall(SYS_gettid); }

static void lock(void) {
  uint32_t free_word = 0;
  if (atomic_compare_exchange_strong(&word, &free_word, own_number())) return;
  const long result = syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, 0, 0, 0);
  assert(result == 0);
}

static void unlock(void) {
  uint32_t own = own_number();
  if (atomic_compare_exchange_strong(&word, &own, 0)) return;
  const long result = syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, 0, 0, 0);
  assert(result == 0);
}

static void *add(void *unused) {
  (void)unused;
  lock();
  assert((word & FUTEX_TID_MASK) == own_number());
  shared++;
  unlock();
  return 0;
}

static void *fail_to_lock(void *unused) {
  (void)unused;
  assert(syscall(SYS_futex, &word, FUTEX_TRYLOCK_PI_PRIVATE, 0, 0, 0, 0) == -1);
  assert(errno == EWOULDBLOCK);
  assert(syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, 0, 0, 0) == -1 && errno == EPERM);
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  assert(syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, &limit, 0, 0) == -1);
  assert(errno == ETIMEDOUT);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, add, 0);
  add(0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  assert(shared == 3 && word == 0);
  lock();
  assert(syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, 0, 0, 0) == -1 && errno == EDEADLK);
  pthread_create(&threads[0], 0, fail_to_lock, 0);
  pthread_join(threads[0], 0);
  unlock();
  return 0;
}
