// Does what memory alone cannot put back, so that each execution needs a new process; and notices
// if it does not begin anew. With an argument it only waits.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int begun;

int main(int count, char** words) {
  (void)words;
  if (begun++ != 0) abort();
  for (int i = 0; count > 1 && i < 3; ++i) usleep(1000);
  if (count > 1) return 0;
  void* library = dlopen("libresolv.so.2", RTLD_NOW);
  if (library == NULL || dlclose(library) != 0) abort();
  printf("begins\n");
  fflush(stdout);
  if (access("written", F_OK) == 0) return 3;
  fclose(fopen("written", "w"));
  usleep(1000);
  return 0;
}
