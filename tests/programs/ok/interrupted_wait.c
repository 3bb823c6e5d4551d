// A signal interrupts sem_wait(), which is then called again.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

static sem_t ready;
static atomic_int data;

static void on_signal(int signal) { (void)signal; }

static void *use(void *unused) {
  (void)unused;
  while (sem_wait(&ready) != 0) assert(errno == EINTR);
  assert(data == 1);
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, 0);
  sem_init(&ready, 0, 0);
  pthread_t thread;
  pthread_create(&thread, 0, use, 0);
  pthread_kill(thread, SIGUSR1);
  data = 1;
  sem_post(&ready);
  pthread_join(thread, 0);
  return 0;
}
