// libck-dev: ck_stack with many pushers and poppers, over the compiler's builtins; its own assembly
// is not seen by any instrumentation. Its loads and stores are volatile, so formally they race.
// options: --no-races
#define CK_USE_CC_BUILTINS 1
#include <assert.h>
#include <ck_pr.h>
#include <ck_stack.h>
#include <pthread.h>
#include <stddef.h>

enum { threads = 2, items = 2 };

struct Item {
  ck_stack_entry_t entry;
  int popped;
};

static ck_stack_t stack = CK_STACK_INITIALIZER;
static struct Item all[threads * items];

static void* work(void* argument) {
  struct Item* mine = argument;
  for (int i = 0; i < items; ++i) {
    ck_stack_push_upmc(&stack, &mine[i].entry);
    ck_stack_entry_t* entry = ck_stack_batch_pop_upmc(&stack);
    while (entry != NULL) {
      ck_stack_entry_t* next = CK_STACK_NEXT(entry);
      ck_pr_inc_int(&((struct Item*)entry)->popped);
      entry = next;
    }
  }
  return NULL;
}

int main(void) {
  pthread_t running[threads];
  for (int i = 0; i < threads; ++i) {
    pthread_create(&running[i], NULL, work, &all[i * items]);
  }
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (int i = 0; i < threads * items; ++i) assert(all[i].popped == 1);
  return 0;
}
