// FUTEX_WAKE_OP wakes the waiters of the second word only if its old value passes the comparison,
// and here it does not: a thread that waits already is never woken.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t first;
static _Atomic uint32_t second = 1;

static void *wait_for_second(void *unused) {
  (void)unused;
  while (atomic_load(&second) == 1) {
    syscall(SYS_futex, &second, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);  // <- bug: waits
  }
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, wait_for_second, 0);
  syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &second,
          FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 1));
  pthread_join(thread, 0);  // <- bug: waits
  return 0;
}
