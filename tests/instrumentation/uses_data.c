/* Two threads use data and a function of other files, and what the C library and the compiler link
 * statically. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

extern const int table[4];
int sum(int a, int b);
int product(int a, int b);

static void at_end(void) {}

static void* use(void* unused) {
  assert(sum(table[0], table[1]) == 3);
  return unused;
}

int main(void) {
  if (atexit(at_end) != 0) return 1;
  __extension__ const unsigned __int128 large = (unsigned __int128)1 << 100;
  volatile int divisor = 7;
  assert((int)(large / (unsigned)divisor) != 0);
  assert(product(2, 3) == 6);
  pthread_t other;
  pthread_create(&other, NULL, use, NULL);
  use(NULL);
  pthread_join(other, NULL);
  return 0;
}
