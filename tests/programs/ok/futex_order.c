// Two threads hand over plain data by a futex alone, whose word never changes: the wake is repeated
// until it has woken the other one. Correct: who is woken goes on after the wake. If the
// search chooses so, the sleeper is moved to a second futex first. The bug twin is
// bug/data-race/futex_order.c.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <ricercar/abi.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static int first;
static int second;
static int data;
static int moves;

static long call(int* word, int operation, int value, int* target) {
  return syscall(SYS_futex, word, operation, value, 1L, target, 0);
}

static void* give(void* unused) {
  data = 42;
  int* word = moves ? &second : &first;
  while (moves && call(&first, FUTEX_CMP_REQUEUE_PRIVATE, 0, &second) == 0) sched_yield();
  while (call(word, FUTEX_WAKE_PRIVATE, 1, NULL) == 0) sched_yield();
  return unused;
}

int main(void) {
  moves = (int)ricercar_choose(2);
  pthread_t giver;
  pthread_create(&giver, NULL, give, NULL);
  syscall(SYS_futex, &first, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  assert(data == 42);
  pthread_join(giver, NULL);
  return 0;
}
