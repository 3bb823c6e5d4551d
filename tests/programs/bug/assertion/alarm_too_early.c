// An alarm ends the wait for work, and the program takes that for the work.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];

static void on_alarm(int signal) { (void)signal; }

static void *work(void *unused) {
  (void)unused;
  assert(write(ends[1], "x", 1) == 1);
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, 0);
  assert(pipe(ends) == 0);
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  alarm(1);
  char byte = 0;
  const ssize_t size = read(ends[0], &byte, 1);
  alarm(0);
  assert(size == 1);  // <- bug: fails
  pthread_join(thread, 0);
  return 0;
}
