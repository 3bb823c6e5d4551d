// A reader-writer lock is unlocked twice: the path that fills the empty cache gives its lock back
// and then falls through to the reader's unlock.
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
  if (empty) {
    pthread_rwlock_unlock(&lock);
    fill();
  }
  pthread_rwlock_unlock(&lock);  // <- bug: fails
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
