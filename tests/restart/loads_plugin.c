/* Loads a library in each execution, uses its state, and unloads it. The argument is its path. */
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turns;

static void *work(void *argument) {
  atomic_fetch_add(&turns, 1);
  return argument;
}

int main(int argument_count, char **arguments) {
  assert(argument_count == 2);
  void *plugin = dlopen(arguments[1], RTLD_NOW);
  assert(plugin != 0);
  int (*count)(void) = (int (*)(void))dlsym(plugin, "plugin_count");
  assert(count() == 1 && count() == 2);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(atomic_load(&turns) == 2);
  return dlclose(plugin);
}
