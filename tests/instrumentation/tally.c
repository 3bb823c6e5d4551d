/* A library with a blatant race, which only its own instrumentation shows. */
#include "tally.h"

static int count;

int tally(void) { return ++count; }
