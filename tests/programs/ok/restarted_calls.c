// Signals whose handler asks for calls to be begun again: locks, semaphores, reading from a pipe
// and joining go on as if nothing had happened; a sleep and poll() end early.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t ready;
static int ends[2];
static int go_on;

static void on_signal(int signal) { (void)signal; }

static void *receive(void *unused) {
  (void)unused;
  char byte = 0;
  assert(sem_wait(&ready) == 0);
  pthread_mutex_lock(&mutex);
  while (!go_on) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
  const struct timespec second = {1, 0};
  struct timespec left = {0, 0};
  if (nanosleep(&second, &left) != 0) {
    assert(errno == EINTR && (left.tv_sec > 0 || left.tv_nsec > 0) && left.tv_sec <= 1);
  }
  struct pollfd entry = {ends[0], POLLIN, 0};
  const int result = poll(&entry, 1, 1000);
  assert(result == 0 || (result == -1 && errno == EINTR));
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, 0);
  sem_init(&ready, 0, 0);
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, 0, receive, 0);
  pthread_kill(thread, SIGUSR1);
  sem_post(&ready);
  pthread_mutex_lock(&mutex);
  go_on = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  assert(write(ends[1], "x", 1) == 1);
  pthread_join(thread, 0);
  return 0;
}
