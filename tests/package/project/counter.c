#include "counter.h"

void count_badly(int* counter) {
  const int seen = __atomic_load_n(counter, __ATOMIC_SEQ_CST);
  __atomic_store_n(counter, seen + 1, __ATOMIC_SEQ_CST);
}

void count_well(int* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST); }
