// Two threads count under two kinds of spin locks.
#include <ck_spinlock.h>
#include <pthread.h>
#include <stdlib.h>

static ck_spinlock_ticket_t ticket = CK_SPINLOCK_TICKET_INITIALIZER;
static ck_spinlock_mcs_t queue = CK_SPINLOCK_MCS_INITIALIZER;
static int first, second;

static void* work(void* unused) {
  ck_spinlock_mcs_context_t node;
  ck_spinlock_ticket_lock(&ticket);
  ++first;
  ck_spinlock_ticket_unlock(&ticket);
  ck_spinlock_mcs_lock(&queue, &node);
  ++second;
  ck_spinlock_mcs_unlock(&queue, &node);
  return unused;
}

int main() {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (first != 2 || second != 2) abort();
}
