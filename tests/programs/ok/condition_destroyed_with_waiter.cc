// The condition variable is destroyed when its only waiter has been woken and joined. The bug twin
// is bug/lock-misuse/condition_destroyed_with_waiter.cc.
#include <pthread.h>

#include <cassert>
#include <thread>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool done = false;

void work() {
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

}  // namespace

int main() {
  std::thread worker(work);
  pthread_mutex_lock(&mutex);
  done = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  worker.join();
  const int result = pthread_cond_destroy(&changed);
  assert(result == 0);
  return 0;
}
