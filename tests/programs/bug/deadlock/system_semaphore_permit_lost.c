// Lost permit, with a System V semaphore: a user that finds nothing to do returns without giving
// its permit back, and the thread that would bring more work waits for ever.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int permits;
static int work_left = 1;

static void change(short by) {
  struct sembuf operation = {0, by, 0};
  semop(permits, &operation, 1);  // <- bug: waits
}

static void* use(void* argument) {
  change(-1);
  if (work_left == 0) return argument;
  --work_left;
  change(1);
  return argument;
}

int main(void) {
  permits = semget(IPC_PRIVATE, 1, 0600);
  semctl(permits, 0, SETVAL, 1);
  pthread_t users[2];
  for (int i = 0; i < 2; ++i) pthread_create(&users[i], 0, use, 0);
  change(-1);
  ++work_left;
  change(1);
  for (int i = 0; i < 2; ++i) pthread_join(users[i], 0);  // <- bug: waits
  return 0;
}
