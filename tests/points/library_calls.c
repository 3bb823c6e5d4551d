/* One thread fills a block in the way that the first argument names, hands it over and looks at it
   once more; the other one has freed it by then, in some schedules. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct block {
  char bytes[40];
};

static struct block source;
static char *shared;
static int users;
static volatile int seen;
static const char *way;
static size_t size; /* not known to the compiler, which would put the call's work here otherwise */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *fill(char *block) {
  if (strcmp(way, "memset") == 0) memset(block, 1, size);
  if (strcmp(way, "memcpy") == 0) memcpy(block, source.bytes, size);
  if (strcmp(way, "memmove") == 0) memmove(block + 3, block, size - 3);
  if (strcmp(way, "strcpy") == 0) strcpy(block, "text");
  if (strcmp(way, "strncpy") == 0) strncpy(block, source.bytes, size);
  if (strcmp(way, "strlen") == 0) block[1] = (char)strlen(block);
  if (strcmp(way, "memcmp") == 0) block[1] = (char)memcmp(block, source.bytes, size);
  if (strcmp(way, "strncmp") == 0) block[1] = (char)strncmp(block, source.bytes, size);
  if (strcmp(way, "struct") == 0) *(struct block *)block = source;
  if (strcmp(way, "realloc") == 0) block = realloc(block, 4 * size);
  if (strcmp(way, "straddle") == 0) {
    const long value = 5;
    memcpy(block + 5, &value, sizeof value);
  }
  return block;
}

static void *give(void *argument) {
  if (users > 9) return argument; /* the first point; what fills the block has to be the second */
  char *block = calloc(1, size);
  block = fill(block);
  pthread_mutex_lock(&lock);
  shared = block;
  users++;
  pthread_mutex_unlock(&lock);
  seen = block[0];
  return argument;
}

static void *take(void *argument) {
  pthread_mutex_lock(&lock);
  char *block = shared;
  if (block) {
    users--;
    seen = block[0];
    block[1]++;
  }
  pthread_mutex_unlock(&lock);
  free(block);
  return argument;
}

int main(int count, char **arguments) {
  pthread_t threads[2];
  way = arguments[1];
  size = (size_t)count + 37;
  strcpy(source.bytes, "abcdefgh");
  pthread_create(&threads[0], 0, give, 0);
  pthread_create(&threads[1], 0, take, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
