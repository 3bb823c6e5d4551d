// The mutex is destroyed only when its last user has been joined. The bug twin is
// bug/lock-misuse/destroy_locked_mutex.cc.
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <thread>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::atomic<bool> finished = false;

void work() {
  pthread_mutex_lock(&mutex);
  finished = true;
  pthread_mutex_unlock(&mutex);
}

}  // namespace

int main() {
  std::thread worker(work);
  worker.join();
  assert(finished);
  const int result = pthread_mutex_destroy(&mutex);
  assert(result == 0);
  return 0;
}
