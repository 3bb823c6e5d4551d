/* Two threads hand over plain data by an event of another library. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void await_event(void);
void set_event(void);

static int data;

static void* give(void* unused) {
  data = 42;
  set_event();
  return unused;
}

int main(void) {
  pthread_t giver;
  pthread_create(&giver, NULL, give, NULL);
  await_event();
  assert(data == 42);
  pthread_join(giver, NULL);
  return 0;
}
