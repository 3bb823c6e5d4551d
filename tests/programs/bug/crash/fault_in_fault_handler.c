// The handler for faults has one itself.
#include <pthread.h>
#include <signal.h>

static int *volatile nowhere;

static void handler(int signal) {
  (void)signal;
  *nowhere = 1;  // <- bug: fails
}

static void *fault(void *unused) {
  (void)unused;
  *nowhere = 1;
  return 0;
}

int main(void) {
  signal(SIGSEGV, handler);
  pthread_t thread;
  pthread_create(&thread, 0, fault, 0);
  pthread_join(thread, 0);
  return 0;
}
