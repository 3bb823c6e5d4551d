/* Two threads use a library that is loaded while the program runs, and closed again if there is an
 * argument. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

typedef int (*function)(void);

static function tally;

static void* use(void* unused) {
  tally();
  return unused;
}

int main(int argument_count, char** arguments) {
  (void)arguments;
  void* library = dlopen("./libtally.so", RTLD_NOW);
  if (library == NULL) return 1;
  *(void**)&tally = dlsym(library, "tally");
  pthread_t other;
  pthread_create(&other, NULL, use, NULL);
  tally();
  pthread_join(other, NULL);
  return argument_count > 1 ? dlclose(library) : 0;
}
