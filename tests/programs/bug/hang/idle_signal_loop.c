// A thread that waits for signals with a time limit, again and again, while another one spins until
// it is told to stop: the signal that would do so never comes.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int stop;

static void *wait_for_signal(void *unused) {
  (void)unused;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  const struct timespec limit = {1, 0};
  while (sigtimedwait(&set, 0, &limit) < 0) {  // <- bug: fails
  }
  stop = 1;
  return 0;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_t thread;
  pthread_create(&thread, 0, wait_for_signal, 0);
  while (!stop) sched_yield();
  pthread_join(thread, 0);
  return 0;
}
