// Waiters move to another word, if the first one still holds what the caller saw, and are woken
// there.
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t first;
static _Atomic uint32_t second;
static _Atomic uint32_t awake;

static void *wait_once(void *unused) {
  (void)unused;
  syscall(SYS_futex, &first, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
  awake++;
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, wait_once, 0);
  assert(syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1L, &second, 7) == -1);
  assert(errno == EAGAIN);
  const long touched = syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE_PRIVATE, 0, 2L, &second, 0);
  assert(touched >= 0 && touched <= 2);
  const long woken = syscall(SYS_futex, &second, FUTEX_WAKE_PRIVATE, 2, 0, 0, 0);
  assert(woken == touched);
  first = 1;
  syscall(SYS_futex, &first, FUTEX_WAKE_PRIVATE, 2, 0, 0, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  assert(awake == 2);
  return 0;
}
