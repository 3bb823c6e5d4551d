// Each path unlocks the reader-writer lock once. The bug twin is
// bug/lock-misuse/rwlock_unlock_not_held.cc.
#include <pthread.h>

#include <cassert>
#include <thread>

namespace {

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int cached = 0;

void fill() {
  pthread_rwlock_wrlock(&lock);
  cached = 42;
  pthread_rwlock_unlock(&lock);
}

void get() {
  pthread_rwlock_rdlock(&lock);
  const bool empty = cached == 0;
  pthread_rwlock_unlock(&lock);
  if (empty) fill();
}

}  // namespace

int main() {
  std::thread filler(fill);
  std::thread reader(get);
  filler.join();
  reader.join();
  assert(cached == 42);
  return 0;
}
