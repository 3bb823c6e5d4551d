// Two threads push one entry each and take all that is there: nothing is lost, nothing comes twice.
#include <ck_stack.h>
#include <pthread.h>
#include <stdlib.h>

static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[2];
static int popped[2];

static void* work(void* entry) {
  ck_stack_push_upmc(&stack, entry);
  ck_stack_entry_t* next;
  for (ck_stack_entry_t* taken = ck_stack_batch_pop_upmc(&stack); taken != NULL; taken = next) {
    next = CK_STACK_NEXT(taken);
    __atomic_fetch_add(&popped[taken - entries], 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

int main() {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &entries[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (popped[0] != 1 || popped[1] != 1) abort();
}
