// Exits with 0 if the bug in count_badly is found, and nothing in count_well.
#include <ricercar/ricercar.h>

#include <iostream>
#include <thread>

#include "counter.h"

static ricercar::Result check(void (*count)(int*)) {
  return ricercar::check({.strategy = "dfs"}, [count] {
    int counter = 0;
    std::thread other(count, &counter);
    count(&counter);
    other.join();
    ricercar::require(counter == 2, "a count was lost");
  });
}

int main() {
  const ricercar::Result bad = check(count_badly);
  const ricercar::Result good = check(count_well);
  std::cout << bad << good;
  const bool found = bad.bugs.size() == 1 && bad.bugs[0].kind == "assertion";
  return found && good && good.complete ? 0 : 1;
}
