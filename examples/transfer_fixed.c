/* The twin of transfer.c: both transfers lock the accounts in the same order. */
#include <assert.h>
#include <pthread.h>

struct account {
  pthread_mutex_t mutex;
  long balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account* from, struct account* to, long amount) {
  pthread_mutex_lock(&savings.mutex);
  pthread_mutex_lock(&current.mutex);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&current.mutex);
  pthread_mutex_unlock(&savings.mutex);
}

static void* save(void* unused) {
  (void)unused;
  transfer(&current, &savings, 30);
  return NULL;
}

static void* spend(void* unused) {
  (void)unused;
  transfer(&savings, &current, 50);
  return NULL;
}

int main(void) {
  pthread_t saver, spender;
  pthread_create(&saver, NULL, save, NULL);
  pthread_create(&spender, NULL, spend, NULL);
  pthread_join(saver, NULL);
  pthread_join(spender, NULL);
  assert(savings.balance + current.balance == 200);
  return 0;
}
