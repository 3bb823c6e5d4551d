// Two threads talk through a pipe with a name and the streams of the C library: who opens an end
// waits for the other one, and a line is there once it is written.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const name = "named_pipe_of_test";

static void *writer(void *unused) {
  (void)unused;
  FILE *stream = fopen(name, "w");
  assert(stream != NULL);
  fprintf(stream, "a line\n");
  assert(fclose(stream) == 0);
  return NULL;
}

int main(void) {
  unlink(name);
  assert(mkfifo(name, 0600) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  FILE *stream = fopen(name, "r");
  assert(stream != NULL);
  char line[16] = "";
  assert(fgets(line, sizeof line, stream) == line && strcmp(line, "a line\n") == 0);
  assert(fgets(line, sizeof line, stream) == NULL && feof(stream));
  fclose(stream);
  pthread_join(thread, NULL);
  assert(unlink(name) == 0);
  return 0;
}
