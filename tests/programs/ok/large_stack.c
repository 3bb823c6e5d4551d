// Threads with stacks of 256 and 900 MB, as their attributes ask for. The compiler fills the
// locals: 200 MB are touched at once. They are rows of long, because clang takes 20 seconds
// and gigabytes of memory to compile what fills a single row of char.
#include <assert.h>
#include <pthread.h>

enum { megabyte = 1 << 20, row = megabyte / sizeof(long) };

static void *use_deep(void *argument) {
  volatile long block[200][row];
  block[0][0] = 1;
  block[100][0] = 2;
  block[199][row - 1] = 3;
  assert(block[0][0] + block[100][0] + block[199][row - 1] == 6);
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
