// A handler takes the lock that the code which it interrupts may hold.
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void on_signal(int signal) {
  (void)signal;
  pthread_mutex_lock(&mutex);  // <- bug: waits // <- why: waits
  total += 10;
  pthread_mutex_unlock(&mutex);
}

static void *add(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);  // <- why: locks
  total += 1;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, 0);
  pthread_t thread;
  pthread_create(&thread, 0, add, 0);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);  // <- bug: waits
  return 0;
}
