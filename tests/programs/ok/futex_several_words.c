// One wait on two words, and the answer which of them ended it.
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { call_number = 449 };  // futex_waitv

static _Atomic uint32_t words[2];

static long wait_for_any(const struct timespec *limit) {
  struct futex_waitv list[2] = {
      {0, (uintptr_t)&words[0], FUTEX_32 | FUTEX_PRIVATE_FLAG, 0},
      {0, (uintptr_t)&words[1], FUTEX_32 | FUTEX_PRIVATE_FLAG, 0},
  };
  return syscall(call_number, list, 2, 0, limit, CLOCK_MONOTONIC);
}

static void *wait_for_second(void *unused) {
  (void)unused;
  const long woken = wait_for_any(0);
  assert(woken == 1 || (woken == -1 && errno == EAGAIN));
  assert(words[1] == 1);
  return 0;
}

int main(void) {
  struct timespec limit;
  clock_gettime(CLOCK_MONOTONIC, &limit);
  assert(wait_for_any(&limit) == -1 && errno == ETIMEDOUT);
  pthread_t thread;
  pthread_create(&thread, 0, wait_for_second, 0);
  words[1] = 1;
  const long woken = syscall(SYS_futex, &words[1], FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
  assert(woken == 0 || woken == 1);
  assert(syscall(SYS_futex, &words[0], FUTEX_WAKE_PRIVATE, 1, 0, 0, 0) == 0);
  pthread_join(thread, 0);
  return 0;
}
