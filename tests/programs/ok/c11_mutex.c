// C11 mutexes: plain, recursive and timed; trylock says busy and timedlock times out while main
// holds the mutex.
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static mtx_t plain;
static mtx_t recursive;
static mtx_t timed;
static int counter = 0;

static void expect(int expected, int result) { assert(result == expected); }

static int increment(void* argument) {
  (void)argument;
  expect(thrd_success, mtx_lock(&plain));
  ++counter;
  expect(thrd_success, mtx_unlock(&plain));
  return 0;
}

static int expect_refusal(void* argument) {
  struct timespec deadline;
  (void)argument;
  expect(thrd_busy, mtx_trylock(&recursive));
  expect(TIME_UTC, timespec_get(&deadline, TIME_UTC));
  expect(thrd_timedout, mtx_timedlock(&timed, &deadline));
  return 0;
}

int main(void) {
  thrd_t thread;
  expect(thrd_success, mtx_init(&plain, mtx_plain));
  expect(thrd_success, mtx_init(&recursive, mtx_plain | mtx_recursive));
  expect(thrd_success, mtx_init(&timed, mtx_timed));

  expect(thrd_success, thrd_create(&thread, increment, NULL));
  increment(NULL);
  expect(thrd_success, thrd_join(thread, NULL));
  assert(counter == 2);

  expect(thrd_success, mtx_lock(&recursive));
  expect(thrd_success, mtx_trylock(&recursive));
  expect(thrd_success, mtx_lock(&timed));
  expect(thrd_success, thrd_create(&thread, expect_refusal, NULL));
  expect(thrd_success, thrd_join(thread, NULL));
  expect(thrd_success, mtx_unlock(&timed));
  expect(thrd_success, mtx_unlock(&recursive));
  expect(thrd_success, mtx_unlock(&recursive));

  mtx_destroy(&plain);
  mtx_destroy(&recursive);
  mtx_destroy(&timed);
  return 0;
}
