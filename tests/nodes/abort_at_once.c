// Ends with a crash, after it has taken one of several ways.
#include <stdlib.h>

static int choose(int x) {
  if (x > 2) return 7;
  return x != 0 ? 1 : 2;
}

int main(int count, char** words) {
  (void)words;
  if (choose(count) == 2) return 3;
  abort();
}
