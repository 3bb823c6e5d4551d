// A handler looks at two variables. The code that changes them does so while the signal is blocked.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int first, second;

static void on_signal(int signal) {
  (void)signal;
  assert(first == second);
}

static void *change(void *unused) {
  (void)unused;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  first = 1;
  second = 1;
  pthread_sigmask(SIG_UNBLOCK, &set, 0);
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, 0);
  pthread_t thread;
  pthread_create(&thread, 0, change, 0);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
  return 0;
}
