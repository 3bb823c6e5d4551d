// A loop that looks as if it waited for a plain variable, but goes on inside of the C library,
// which is not instrumented: it skips zeroes in a file, one by one. Another thread does the same.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { zeroes = 20000 };

static FILE *files[2];

static void *skip(void *argument) {
  FILE **file = argument;
  while (getc(*file) == 0) {
  }
  assert(ftell(*file) == zeroes + 1);
  return NULL;
}

int main(void) {
  static char content[zeroes + 1];
  content[zeroes] = 'x';
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    files[i] = fmemopen(content, sizeof content, "r");
    assert(files[i] != NULL);
    pthread_create(&threads[i], NULL, skip, &files[i]);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; ++i) fclose(files[i]);
  return 0;
}
