// System V semaphores: what calls return, sets that are found by a key and end with an execution, a
// wait with a time limit, and one whose set is removed.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>

static const key_t key = 0x52636372;

static int change(int set, unsigned short number, short by, short flags) {
  struct sembuf operation = {number, by, flags};
  return semop(set, &operation, 1);
}

static void expect_error(int result, int error) {
  assert(result == -1);
  assert(errno == error);
}

static void look_at_results(void) {
  expect_error(semget(IPC_PRIVATE, 0, 0600), EINVAL);
  expect_error(semget(key, 1, 0600), ENOENT);  // although the last execution has made it
  const int set = semget(key, 2, IPC_CREAT | IPC_EXCL | 0600);
  assert(set >= 0);
  assert(semget(key, 2, IPC_CREAT | 0600) == set);
  expect_error(semget(key, 2, IPC_CREAT | IPC_EXCL | 0600), EEXIST);
  expect_error(semget(key, 3, 0600), EINVAL);
  expect_error(change(set, 2, 1, 0), EFBIG);
  expect_error(change(set, 1, -1, IPC_NOWAIT), EAGAIN);
  expect_error(semctl(set, 0, SETVAL, -1), ERANGE);
  expect_error(semctl(set, 2, GETVAL), EINVAL);
  assert(semctl(set, 1, SETVAL, 2) == 0);
  assert(change(set, 1, -1, 0) == 0);
  assert(semctl(set, 0, GETVAL) == 0);
  assert(semctl(set, 1, GETVAL) == 1);
  struct timespec soon = {0, 1000000};
  struct sembuf take = {0, -1, 0};
  expect_error(semtimedop(set, &take, 1, &soon), EAGAIN);
  assert(semctl(set, 0, IPC_RMID) == 0);
  expect_error(change(set, 0, 1, 0), EINVAL);
  expect_error(semget(key, 1, 0600), ENOENT);
}

static int data;
static int sets[2];

// The set may be gone before the wait for it begins.
static void* produce(void* argument) {
  data = 1;
  assert(change(sets[0], 0, 1, 0) == 0);
  assert(change(sets[1], 0, -1, 0) == -1);
  assert(errno == EIDRM || errno == EINVAL);
  return argument;
}

static void* consume(void* argument) {
  assert(change(sets[0], 0, -1, 0) == 0);
  assert(data == 1);
  return argument;
}

int main(void) {
  look_at_results();
  for (int i = 0; i < 2; ++i) sets[i] = semget(IPC_PRIVATE, 1, 0600);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, consume, 0);
  pthread_create(&threads[1], 0, produce, 0);
  pthread_join(threads[0], 0);
  assert(semctl(sets[1], 0, IPC_RMID) == 0);
  pthread_join(threads[1], 0);
  return 0;
}
