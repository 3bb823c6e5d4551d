/* Starts another process, which a program under control must not do. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *argument) { return argument; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  int child = fork();
  if (child == 0) _exit(0);
  waitpid(child, 0, 0);
  pthread_join(thread, 0);
  return 0;
}
