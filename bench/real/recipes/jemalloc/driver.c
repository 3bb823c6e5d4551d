// One thread allocates, another frees, and the first allocates again: no two live blocks overlap.
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void* give_back(void* block) {
  je_free(block);
  char* own = je_malloc(64);
  memset(own, 2, 64);
  je_free(own);
  return NULL;
}

int main() {
  pthread_t thread;
  char* kept = je_malloc(64);
  memset(kept, 1, 64);
  pthread_create(&thread, NULL, give_back, je_malloc(64));
  char* more = je_malloc(64);
  memset(more, 3, 64);
  pthread_join(thread, NULL);
  for (int i = 0; i < 64; ++i) {
    if (kept[i] != 1 || more[i] != 3) abort();
  }
  je_free(more);
  je_free(kept);
}
