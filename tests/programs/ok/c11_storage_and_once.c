// C11 thread-specific storage with a destructor, _Thread_local, and call_once.
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int initialisations = 0;
static int destroyed[2] = {0, 0};
static _Thread_local int local = 7;

static void expect(int expected, int result) { assert(result == expected); }

static void count_destruction(void* value) { ++*(int*)value; }

static void initialise(void) {
  ++initialisations;
  expect(thrd_success, tss_create(&key, count_destruction));
}

static int run(void* argument) {
  call_once(&once, initialise);
  assert(initialisations == 1);
  assert(tss_get(key) == NULL);
  expect(thrd_success, tss_set(key, argument));
  assert(tss_get(key) == argument);
  assert(local == 7);
  ++local;
  return local;
}

int main(void) {
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) {
    expect(thrd_success, thrd_create(&threads[i], run, &destroyed[i]));
  }
  for (int i = 0; i < 2; ++i) {
    int result = 0;
    expect(thrd_success, thrd_join(threads[i], &result));
    assert(result == 8);
  }
  assert(local == 7);
  assert(destroyed[0] == 1 && destroyed[1] == 1);
  tss_delete(key);
  return 0;
}
