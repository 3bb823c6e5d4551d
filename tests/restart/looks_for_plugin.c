/* Looks for a plug-in that is not there, through a library, on every thread. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

void look_for_plugin(void);

static void *work(void *argument) {
  look_for_plugin();
  return dlerror() == NULL ? argument : NULL;
}

int main(void) {
  look_for_plugin();
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  void *block = malloc(1000);
  free(block);
  return 0;
}
