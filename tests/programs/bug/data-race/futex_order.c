// Two threads hand over plain data by a futex. The one that waits gives up after a while and looks
// at the data all the same: nobody has woken it, so there is a race. The repaired twin is
// ok/futex_order.c.
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int word;
int data;  // not static, so that the compiler does not know all of its values

static void* give(void* unused) {
  data = 42;  // <- bug: writes
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  return unused;
}

int main(void) {
  pthread_t giver;
  pthread_create(&giver, NULL, give, NULL);
  const struct timespec second = {1, 0};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &second, NULL, 0);
  const int seen = data;  // <- bug: reads
  pthread_join(giver, NULL);
  return seen == 42 || seen == 0 ? 0 : 1;
}
