// FUTEX_WAKE_OP, as a condition variable uses it: one call opens the lock and wakes the waiters of
// both words.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t first;
static _Atomic uint32_t second = 1;

static void *wait_on(void *word) {
  _Atomic uint32_t *futex = word;
  const uint32_t expected = futex == &second ? 1 : 0;
  while (atomic_load(futex) == expected) {
    syscall(SYS_futex, futex, FUTEX_WAIT_PRIVATE, expected, 0, 0, 0);
  }
  return 0;
}

static long wake_both(int operation, int operand, int comparison, int compared) {
  return syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &second,
                 FUTEX_OP(operation, operand, comparison, compared));
}

static void check_arithmetic(void) {
  second = 6;
  assert(wake_both(FUTEX_OP_ADD, 4, FUTEX_OP_CMP_GT, 6) == 0 && second == 10);
  assert(wake_both(FUTEX_OP_OR, 5, FUTEX_OP_CMP_EQ, 10) == 0 && second == 15);
  assert(wake_both(FUTEX_OP_ANDN, 3, FUTEX_OP_CMP_LE, 2) == 0 && second == 12);
  assert(wake_both(FUTEX_OP_XOR, 4, FUTEX_OP_CMP_NE, 0) == 0 && second == 8);
  assert(wake_both(FUTEX_OP_SET | FUTEX_OP_OPARG_SHIFT, 5, FUTEX_OP_CMP_LT, 1) == 0);
  assert(second == 32);
}

int main(void) {
  check_arithmetic();
  second = 1;
  pthread_t one;
  pthread_t two;
  pthread_create(&one, 0, wait_on, (void *)&first);
  pthread_create(&two, 0, wait_on, (void *)&second);
  first = 1;
  const long woken = wake_both(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 1);
  assert(woken >= 0 && woken <= 2 && second == 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
