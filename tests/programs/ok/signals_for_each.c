// Two threads wait for the same signal, each for its own: pthread_kill() names the thread, and what
// was sent with it is found there.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void *wait_for_own(void *unused) {
  (void)unused;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  int signal = 0;
  assert(sigwait(&set, &signal) == 0 && signal == SIGUSR1);
  return 0;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_t one, two;
  pthread_create(&one, 0, wait_for_own, 0);
  pthread_create(&two, 0, wait_for_own, 0);
  pthread_kill(two, SIGUSR1);
  pthread_join(two, 0);
  pthread_kill(one, SIGUSR1);
  pthread_join(one, 0);
  return 0;
}
