// A program with a malloc of its own, in regions that it maps: it serves the C library too, which
// allocates when a thread is created. Some blocks are older than main. Compilers must not think
// that they know what this malloc does.
// libraries: -fno-builtin
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct header {
  size_t size;
  size_t unused;
};

static char *next, *end;
static pthread_mutex_t heap_mutex = PTHREAD_MUTEX_INITIALIZER;

static char *region(size_t size) {
  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *malloc(size_t size) {
  const size_t whole = (size + sizeof(struct header) + 15) & ~(size_t)15;
  pthread_mutex_lock(&heap_mutex);
  if (next == NULL || (size_t)(end - next) < whole) {
    next = region(whole + (1 << 20));
    end = next + whole + (1 << 20);
  }
  struct header *block = (struct header *)next;
  next += whole;
  block->size = size;
  pthread_mutex_unlock(&heap_mutex);
  return block + 1;
}

void free(void *block) { (void)block; }

void *calloc(size_t count, size_t size) {
  void *block = malloc(count * size);
  return memset(block, 0, count * size);
}

void *realloc(void *block, size_t size) {
  void *larger = malloc(size);
  if (block == NULL) return larger;
  const size_t before = ((struct header *)block)[-1].size;
  return memcpy(larger, block, before < size ? before : size);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int *early;

__attribute__((constructor)) static void make_early(void) {
  early = malloc(5000);
  early[0] = 3;
}

static void *work(void *argument) {
  int *block = malloc(100000);
  block[0] = 1;
  pthread_mutex_lock(&mutex);
  count += block[0];
  ++early[0];
  pthread_mutex_unlock(&mutex);
  free(block);
  return argument;
}

int main(void) {
  assert(early[0] == 3);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(count == 2 && early[0] == 5);
  return 0;
}
