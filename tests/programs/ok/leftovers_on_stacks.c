// Every function looks at its uninitialised memory before it fills it with 42, on the stack of main
// and of two threads. A new stack holds no 42: what is found there would be left over from an
// earlier execution.
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { words = 256, depth = 2000 };

static atomic_int turns;

__attribute__((noinline)) static void look(volatile int *memory, int count) {
  for (int i = 0; i < count; ++i) assert(memory[i] != 42);
}

__attribute__((noinline)) static void look_at_stack(void) {
  volatile int *local = alloca(words * sizeof *local);
  look(local, words);
}

__attribute__((noinline)) static void look_deeper(void) {
  volatile char *unused = alloca(depth);
  unused[0] = 1;
  look_at_stack();
}

__attribute__((noinline)) static void fill(int count) {
  volatile int *local = alloca(count * sizeof *local);
  for (int i = 0; i < count; ++i) local[i] = 42;
}

static void *work(void *argument) {
  look_at_stack();
  look_deeper();
  for (int i = 0; i < 2; ++i) atomic_fetch_add(&turns, 1);
  fill(depth);
  return argument;
}

int main(void) {
  look_at_stack();
  look_deeper();
  for (int i = 0; i < 40; ++i) atomic_fetch_add(&turns, 1);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(atomic_load(&turns) == 44);
  fill(depth);
  return 0;
}
