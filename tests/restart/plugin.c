/* A library that is loaded while the program runs, with state of its own. */
#include <stdlib.h>

static int *state;

__attribute__((constructor)) static void make(void) { state = calloc(1, sizeof *state); }
__attribute__((destructor)) static void release(void) { free(state); }

int plugin_count(void);
int plugin_count(void) { return ++*state; }
