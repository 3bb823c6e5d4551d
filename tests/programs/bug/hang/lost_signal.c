// The main thread waits for a signal that another thread sends. If it comes after the look at the
// flag and before pause(), nothing ends the wait.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

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
  waiter = pthread_self();
  pthread_t thread;
  pthread_create(&thread, 0, tell, 0);
  while (!told) pause();  // <- bug: fails
  pthread_join(thread, 0);
  return 0;
}
