/* A gate that threads wait at until it is opened, made of an atomic. */
#include <sched.h>

static int is_open;

void await_gate(void);
void open_gate(void);

void await_gate(void) {
  while (!__atomic_load_n(&is_open, __ATOMIC_ACQUIRE)) sched_yield();
}

void open_gate(void) { __atomic_store_n(&is_open, 1, __ATOMIC_RELEASE); }
