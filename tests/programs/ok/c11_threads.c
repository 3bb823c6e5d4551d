// C11 threads: create, join with results, exit, equal, current, detach, yield and sleep.
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static atomic_int detached_ran = 0;

static int return_number(void* argument) { return *(int*)argument; }

static int exit_with_number(void* argument) { thrd_exit(*(int*)argument + 1); }

static int set_flag(void* argument) {
  atomic_int* flag = argument;
  *flag = 1;
  return 0;
}

int main(void) {
  int number = 20;
  int first_result = 0;
  int second_result = 0;
  thrd_t first;
  thrd_t second;
  thrd_t detached;
  const struct timespec one_ms = {.tv_sec = 0, .tv_nsec = 1000000};
  int error = thrd_create(&first, return_number, &number);
  assert(error == thrd_success);
  error = thrd_create(&second, exit_with_number, &number);
  assert(error == thrd_success);
  error = thrd_create(&detached, set_flag, &detached_ran);
  assert(error == thrd_success);
  error = thrd_detach(detached);
  assert(error == thrd_success);

  assert(thrd_equal(thrd_current(), thrd_current()));
  assert(!thrd_equal(first, second));
  thrd_yield();
  error = thrd_sleep(&one_ms, NULL);
  assert(error == 0);

  error = thrd_join(first, &first_result);
  assert(error == thrd_success);
  error = thrd_join(second, &second_result);
  assert(error == thrd_success);
  assert(first_result == 20);
  assert(second_result == 21);
  while (!detached_ran) thrd_yield();
  return 0;
}
