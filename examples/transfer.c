/* Money moves between two accounts in C with POSIX threads. Each transfer locks both accounts, the
 * one it takes from first.
 *
 *   ricercar cc transfer.c -o transfer
 *   ricercar run ./transfer
 */
#include <assert.h>
#include <pthread.h>

struct account {
  pthread_mutex_t mutex;
  long balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account* from, struct account* to, long amount) {
  pthread_mutex_lock(&from->mutex);
  pthread_mutex_lock(&to->mutex);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&to->mutex);
  pthread_mutex_unlock(&from->mutex);
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
