// One thread allocates, another frees, and the first allocates again: no two live blocks overlap.
#include <mimalloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void* give_back(void* block) {
  mi_free(block);
  char* own = mi_malloc(64);
  memset(own, 2, 64);
  mi_free(own);
  return NULL;
}

int main() {
  pthread_t thread;
  char* kept = mi_malloc(64);
  memset(kept, 1, 64);
  pthread_create(&thread, NULL, give_back, mi_malloc(64));
  char* more = mi_malloc(64);
  memset(more, 3, 64);
  pthread_join(thread, NULL);
  for (int i = 0; i < 64; ++i) {
    if (kept[i] != 1 || more[i] != 3) abort();
  }
  mi_free(more);
  mi_free(kept);
}
