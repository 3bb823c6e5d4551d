// The main thread waits for a signal that another thread sends. It is blocked until sigsuspend()
// waits for it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t told;
static pthread_t waiter;

static void on_signal(int signal) {
  (void)signal;
  told = 1;
}

static void *tell(void *unused) {
  (void)unused;
  pthread_kill(waiter, SIGUSR1);
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, 0);
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  waiter = pthread_self();
  pthread_t thread;
  pthread_create(&thread, 0, tell, 0);
  while (!told) {
    const int result = sigsuspend(&before);
    assert(result == -1 && errno == EINTR);
  }
  pthread_join(thread, 0);
  return 0;
}
