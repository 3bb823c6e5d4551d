// Exchanges a word by an instruction of its own, which nobody sees.
#include <pthread.h>
#include <stddef.h>

static int word;
static int winners;

static int exchange(int* target, int value) {
  __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*target));  // line 9
  return value;
}

static void* run(void* argument) {
  if (exchange(&word, 1) == 0) ++winners;
  return argument;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, run, NULL);
  run(NULL);
  pthread_join(other, NULL);
  return winners == 1 ? 0 : 1;
}
