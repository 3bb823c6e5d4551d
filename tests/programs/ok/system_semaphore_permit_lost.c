// The permit is given back on every path. The bug twin is
// bug/deadlock/system_semaphore_permit_lost.c.
#include <assert.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int permits;
static int work_left = 1;

static void change(short by) {
  struct sembuf operation = {0, by, 0};
  assert(semop(permits, &operation, 1) == 0);
}

static void* use(void* argument) {
  change(-1);
  if (work_left > 0) --work_left;
  change(1);
  return argument;
}

int main(void) {
  permits = semget(IPC_PRIVATE, 1, 0600);
  assert(semctl(permits, 0, SETVAL, 1) == 0);
  pthread_t users[2];
  for (int i = 0; i < 2; ++i) pthread_create(&users[i], 0, use, 0);
  change(-1);
  ++work_left;
  change(1);
  for (int i = 0; i < 2; ++i) pthread_join(users[i], 0);
  assert(work_left == 0 || work_left == 1);
  assert(semctl(permits, 0, GETVAL) == 1);
  return 0;
}
