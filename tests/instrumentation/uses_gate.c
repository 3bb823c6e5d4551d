/* Two threads hand over plain data by a gate of another library. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void await_gate(void);
void open_gate(void);

static int data;

static void* give(void* unused) {
  data = 42;
  open_gate();
  return unused;
}

int main(void) {
  pthread_t giver;
  pthread_create(&giver, NULL, give, NULL);
  await_gate();
  assert(data == 42);
  pthread_join(giver, NULL);
  return 0;
}
