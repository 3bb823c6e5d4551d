// A locked mutex is destroyed: main takes the worker's flag for its end and destroys the mutex that
// the worker still holds.
#include <pthread.h>

#include <atomic>
#include <thread>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::atomic<bool> finished = false;

void work() {
  pthread_mutex_lock(&mutex);  // <- why: locks
  finished = true;
  pthread_mutex_unlock(&mutex);
}

}  // namespace

int main() {
  std::thread worker(work);
  const bool was_finished = finished;
  if (was_finished) pthread_mutex_destroy(&mutex);  // <- bug: fails // <- why: fails
  worker.join();
  if (!was_finished) pthread_mutex_destroy(&mutex);
  return 0;
}
