// The usual handler of a program that wants to tell where it crashed: it writes something, and lets
// the fault come again without a handler.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int *volatile nowhere;

static void tell(int number) {
  if (write(STDERR_FILENO, "fault\n", 6) == 6) signal(number, SIG_DFL);
}

static void *fault(void *unused) {
  (void)unused;
  *nowhere = 1;  // <- bug: fails
  return 0;
}

int main(void) {
  signal(SIGSEGV, tell);
  pthread_t thread;
  pthread_create(&thread, 0, fault, 0);
  pthread_join(thread, 0);
  return 0;
}
