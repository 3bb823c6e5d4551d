// Threads with stacks of 256 and 900 MB, as their attributes ask for. The compiler fills the
// locals: 200 MB are touched at once.
#include <assert.h>
#include <pthread.h>

enum { megabyte = 1 << 20 };

static void *use_deep(void *argument) {
  volatile char block[200 * megabyte];
  block[0] = 1;
  block[100 * megabyte] = 2;
  block[200 * megabyte - 1] = 3;
  assert(block[0] + block[100 * megabyte] + block[200 * megabyte - 1] == 6);
  return argument;
}

int main(void) {
  const size_t sizes[2] = {256UL * megabyte, 900UL * megabyte};
  pthread_t threads[2];
  int results[2];
  for (int i = 0; i < 2; i++) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, sizes[i]) == 0);
    assert(pthread_create(&threads[i], &attributes, use_deep, &results[i]) == 0);
    pthread_attr_destroy(&attributes);
  }
  for (int i = 0; i < 2; i++) {
    void *result = 0;
    pthread_join(threads[i], &result);
    assert(result == &results[i]);
  }
  return 0;
}
