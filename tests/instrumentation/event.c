/* An event that is made of a futex only: somebody sets it until it has woken the one that waits. */
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

void await_event(void);
void set_event(void);

void await_event(void) { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0); }

void set_event(void) {
  while (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0) sched_yield();
}
