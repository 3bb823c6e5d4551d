// C11 condition variables: wait, signal, broadcast, and a timed wait that nobody signals and that
// ends by time-out.
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t opened_changed;
static cnd_t arrived_changed;
static bool opened = false;
static int arrived = 0;

static void expect(int expected, int result) { assert(result == expected); }

static int wait_for_opening(void* argument) {
  (void)argument;
  expect(thrd_success, mtx_lock(&mutex));
  ++arrived;
  expect(thrd_success, cnd_signal(&arrived_changed));
  while (!opened) expect(thrd_success, cnd_wait(&opened_changed, &mutex));
  expect(thrd_success, mtx_unlock(&mutex));
  return 0;
}

static void wait_until_time_out(void) {
  struct timespec deadline;
  int result = thrd_success;
  expect(TIME_UTC, timespec_get(&deadline, TIME_UTC));
  while (result == thrd_success) result = cnd_timedwait(&arrived_changed, &mutex, &deadline);
  expect(thrd_timedout, result);
}

int main(void) {
  thrd_t threads[2];
  expect(thrd_success, mtx_init(&mutex, mtx_plain));
  expect(thrd_success, cnd_init(&opened_changed));
  expect(thrd_success, cnd_init(&arrived_changed));
  expect(thrd_success, mtx_lock(&mutex));
  wait_until_time_out();
  for (int i = 0; i < 2; ++i) {
    expect(thrd_success, thrd_create(&threads[i], wait_for_opening, NULL));
  }
  while (arrived < 2) expect(thrd_success, cnd_wait(&arrived_changed, &mutex));
  opened = true;
  expect(thrd_success, cnd_broadcast(&opened_changed));
  expect(thrd_success, mtx_unlock(&mutex));
  for (int i = 0; i < 2; ++i) expect(thrd_success, thrd_join(threads[i], NULL));
  cnd_destroy(&arrived_changed);
  cnd_destroy(&opened_changed);
  mtx_destroy(&mutex);
  return 0;
}
