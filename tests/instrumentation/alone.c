/* One thread uses the library. */
#include "tally.h"

int main(void) { return tally() == 1 ? 0 : 1; }
