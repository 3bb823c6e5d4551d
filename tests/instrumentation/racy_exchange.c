// As exchange.c, and both threads count without any order.
#include <pthread.h>
#include <stddef.h>

static int word;
static int runs;

static void* run(void* argument) {
  int value = 1;
  __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(word));
  ++runs;
  return argument;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, run, NULL);
  run(NULL);
  pthread_join(other, NULL);
  return runs > 0 ? 0 : 1;
}
